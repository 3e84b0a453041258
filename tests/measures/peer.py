"""Another library's scores, asked for by lines of JSON: run by the Python of var/peers, in a process of its own.

A question is {"library", "run": {qid: {docno: score}}, "qrels": {qid: {docno: grade}}, "measures": [name]}; its
answer is {measure: {qid: value}}, or {"error": text}.
"""

import json
import sys
from typing import Any

Scores = dict[str, dict[str, float]]


def pytrec_eval(run: Any, qrels: Any, measures: list[str]) -> Scores:
    import pytrec_eval as library

    found = library.RelevanceEvaluator(qrels, set(measures)).evaluate(run)
    names = {name: name.replace(".", "_") for name in measures}
    return {name: {qid: values[printed] for qid, values in found.items()} for name, printed in names.items()}


def ir_measures(run: Any, qrels: Any, measures: list[str]) -> Scores:
    import ir_measures as library

    asked = {name: library.parse_measure(name) for name in measures}
    found: Scores = {name: {} for name in measures}
    names = {str(measure): name for name, measure in asked.items()}
    for metric in library.iter_calc(list(asked.values()), qrels, run):
        found[names[str(metric.measure)]][metric.query_id] = metric.value
    return found


def ranx(run: Any, qrels: Any, measures: list[str]) -> Scores:
    import ranx as library

    own = library.Run(run)
    library.evaluate(library.Qrels(qrels), own, measures, return_mean=False, make_comparable=True)
    return {name: {qid: float(value) for qid, value in own.scores[name].items()} for name in measures}


LIBRARIES = {"pytrec_eval": pytrec_eval, "ir_measures": ir_measures, "ranx": ranx}

if __name__ == "__main__":
    for line in sys.stdin:
        question = json.loads(line)
        try:
            answer: Any = LIBRARIES[question.pop("library")](**question)
        except Exception as error:  # noqa: BLE001  # Whatever goes wrong there is the answer here.
            answer = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
