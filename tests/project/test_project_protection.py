"""What a project file says about protection."""

from __future__ import annotations

import pytest

from indistinct.core.errors import InputError
from indistinct.project import load_project


def written(folder, text: str):
    (folder / "people.csv").write_text("age,sex\n30,m\n")
    path = folder / "release.toml"
    path.write_text(f'[data]\nfile = "people.csv"\n{text}')
    return path


def test_settings_of_the_variables_of_a_key(tmp_path):
    project = load_project(
        written(
            tmp_path,
            '[release]\nmethod = "optimal"\nmax_drop = 0.02\nloss = "entropy"\n'
            "[variables.age]\nhighest_level = 2\nimportance = 2\n"
            "[variables.sex]\ndistortion = 0.5\nidentification = 3\n",
        )
    )
    release = project.release
    assert (release.method, release.max_drop, release.loss) == ("optimal", 0.02, "entropy")
    assert project.of_variables("highest_level", ["age", "sex"]) == {"age": 2}
    assert project.of_variables("importance", ["age", "sex"]) == {"age": 2}
    assert project.of_variables("distortion", ["age"]) == {}
    assert project.of_variables("identification", ["sex", "other"]) == {"sex": 3}


@pytest.mark.parametrize(
    ("line", "must"),
    [
        ("distortion = 1.5", "a number from 0 to 1"),
        ("identification = 4", "a whole number from 0 to 3"),
        ("identification = true", "a whole number from 0 to 3"),
        ("importance = -1", "a number of at least 0"),
        ("highest_level = 1.0", "a whole number of at least 0"),
    ],
)
def test_what_is_out_of_range_is_refused_with_its_line(tmp_path, line, must):
    path = written(tmp_path, f"[variables.age]\n{line}\n")
    with pytest.raises(InputError, match=f"release.toml:4: .* must be {must}"):
        load_project(path)
