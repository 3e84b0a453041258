import pytest

from app.measures import MeasureError, Undefined


def test_an_undefined_number_is_neither_true_nor_false() -> None:
    with pytest.raises(TypeError, match="nobody graded"):
        bool(Undefined("nobody graded"))


def test_an_undefined_number_says_why() -> None:
    assert str(Undefined("nobody graded")) == "undefined: nobody graded"


def test_a_measure_error_is_a_value_error() -> None:
    assert issubclass(MeasureError, ValueError)
