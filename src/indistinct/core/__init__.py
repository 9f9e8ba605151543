"""What every room may use: errors, variables, progress, arguments, kinds of columns, randomness,
linear programs, text from strangers."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.core.arguments import (
        HINT_AT_MOST,
        HINT_K,
        MAY_BE_NAN,
        MOST_ITEMS,
        AtMost,
        Base,
        ClassSize,
        Fraction,
        Kind,
        Limit,
        Seed,
        above,
        at_least,
        between,
        check_argument,
        check_number,
        check_whole,
        from_to_below,
        kind_of,
        parameters_of,
        with_checked_arguments,
    )
    from indistinct.core.arrays import Array, Bools, Floats, Ints, SmallInts, Words
    from indistinct.core.doorway import load_every_module
    from indistinct.core.errors import (
        ArgumentError,
        GuaranteeError,
        IndistinctError,
        InputError,
        Interrupted,
        did_you_mean,
    )
    from indistinct.core.harmless import (
        FORMULA,
        NUMBER,
        for_csv,
        for_html,
        for_json,
        for_markdown,
        for_svg,
        for_terminal,
        from_csv,
        is_harmful,
        shortened,
        visible,
    )
    from indistinct.core.kinds import (
        decoded,
        held_kind,
        holds_numbers,
        holds_text,
        values_and_codes,
    )
    from indistinct.core.processes import start_process
    from indistinct.core.programs import Ended, LinearProgram
    from indistinct.core.progress import Task, listening, task
    from indistinct.core.randomness import (
        GOLDEN,
        STIR,
        as_uniform,
        finished,
        folded,
        hashed,
        mixed,
        stirred,
    )
    from indistinct.core.randomness_compiled import (
        fold_word,
        hash_word,
        mix_word,
        stir_word,
        uniform_of_word,
    )
    from indistinct.core.variables import (
        LEVELS,
        ROLES,
        Level,
        Missing,
        Role,
        Value,
        Variable,
        Variables,
    )

open_doorway(__name__, checked=False)
