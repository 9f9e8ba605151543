"""Options: each declared once, for the command line, the project file and Python's keywords."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.options.checking import (
        Check,
        Place,
        Problems,
        choice,
        count_or_share,
        header,
        listed,
        number,
        ranges,
        shares,
        shown,
        text,
        whole,
        yes_or_no,
    )
    from indistinct.options.kinds import (
        Kind,
        a_count_or_share,
        a_name,
        a_number,
        a_path,
        a_switch,
        a_text,
        a_whole_number,
        a_word,
        groups_of_names,
        names,
        numbers_by_variable,
        only_by_keyword,
        paths,
        split_names,
        split_numbers,
        split_pairs,
    )
    from indistinct.options.lines import Lines, Where, find_lines
    from indistinct.options.methods import (
        Family,
        Method,
        known_method,
        known_methods,
        method_options,
        refuse_unknown_options,
        register_method,
        unknown_option,
    )
    from indistinct.options.option import Option
    from indistinct.options.reading import READING
    from indistinct.options.releasing import RELEASING, Told, Use
    from indistinct.options.tomltext import toml_comment, toml_header, toml_key, toml_value

open_doorway(__name__, checked=False)
