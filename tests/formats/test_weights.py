import io

import pytest

from app.formats.errors import FormatError
from app.formats.weights import read_weights


def weights_in(text: str) -> dict[str, float]:
    return read_weights(io.BytesIO(text.encode()), "traffic")


@pytest.mark.parametrize(
    "text",
    [
        "q1 3\nq2 .5\n",
        "q1   3\n\n q2\t0.5 \n",
        "q1\t3\nq2\t5e-1",
        "q1,3\r\nq2,0.5\r\n",
        "q1;3\nq2;0.5\n",
        "sep=;\nq1;3\nq2;0.5\n",
        "\ufeffqid,weight\nq1,3\nq2,0.5\n",
        "Query ID;Weight\nq1;3\nq2;0.5\n",
        "traffic\tnote\ttopic\n3\tmany\tq1\n0.5\t\tq2\n",
        'qid,weight\n"q1","3"\nq2,0.5\n',
        "qid,count,weight\nq1,7,3\nq2,9,0.5\n",
    ],
)
def test_weights_come_as_the_other_tables_do(text: str) -> None:
    assert weights_in(text) == {"q1": 3.0, "q2": 0.5}


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (
            "q1 3\nq2\n",
            2,
            "the line is not a query and its weight. The line reads “q2”. Give a query and a number a line",
        ),
        ("q1,3\nq2,3,4\n", 2, "the line is not a query and its weight. The line reads “q2 | 3 | 4”."),
        ("q1,much\n", 1, '"much" is no weight. Give a query and a number a line'),
        ("name,weight\nq1,3\n", 1, '"weight" is no weight. Give a query and a number a line, with a blank, tab, comma'),
        ("q1;0,5\nq2;1\n", 1, '"0,5" is no weight. Write the fraction with a point.'),
        ("q1 1_0\n", 1, '"1_0" is no weight'),
        ("q1,1\n ,1\n", 2, "the line is not a query and its weight: the query is empty. Give"),
        ("q1 1\nq1 1\n", 2, 'the query "q1" has a weight already. Give each query one line.'),
        ("q1 -1\n", 1, 'the weight "-1" is not 0 or more. Give a number; 0 leaves a query out.'),
        ("q1 nan\n", 1, 'the weight "nan" is not 0 or more'),
        ("q1 inf\n", 1, 'the weight "inf" is not 0 or more'),
        (
            "\nqid,Count,query,share\nq1,3,dog,.5\n",
            2,
            'the columns "Count" and "share" may all be the weights. Call the one that is meant weight, or keep no',
        ),
        ("", None, "the file holds no weights. Give a query and a number a line"),
        ("qid,weight\n", None, "the file holds no weights"),
    ],
)
def test_what_is_no_weight_is_refused_with_its_line_and_a_way_out(text: str, line: int | None, said: str) -> None:
    with pytest.raises(FormatError) as refused:
        weights_in(text)
    assert refused.value.line == line
    assert said in str(refused.value)
