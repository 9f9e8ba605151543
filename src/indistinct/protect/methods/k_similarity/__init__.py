"""k-Similar: groups of records that are alike."""
