"""Commands that score a run against a release without Adjudge."""

from app.projects.models import Project


def trec_eval_commands(project: Project, *, threshold: int, qrels_name: str) -> list[str]:
    """For nDCG@10 with the project's gain, and recall@100. trec_eval's `ndcg_cut` takes a grade for its gain, a whole
    number; another gain is written into a copy of the qrels first. Where a gain is no
    whole number no command of trec_eval gives nDCG, only recall.
    """
    level = f" -l {threshold}" if threshold > 1 else ""
    recall = f"trec_eval -c{level} -m recall.100 {qrels_name} your.run"
    if project.gain == "linear":
        return [f"trec_eval -c{level} -m ndcg_cut.10 -m recall.100 {qrels_name} your.run"]
    rewriting = gains_into_grades(project)
    if rewriting is None:
        return [recall]
    gains_name = f"{qrels_name}.gains"
    return [f"{rewriting} {qrels_name} > {gains_name}", f"trec_eval -c -m ndcg_cut.10 {gains_name} your.run", recall]


def gains_into_grades(project: Project) -> str | None:
    if project.gain == "exponential":
        return "awk '{ $4 = 2 ^ $4 - 1 } 1'"
    table = project.gain_table or []
    if any(gain != int(gain) for gain in table):
        return None
    return (
        f"""awk 'BEGIN {{ split("{" ".join(str(int(gain)) for gain in table)}", gain) }} {{ $4 = gain[$4 + 1] }} 1'"""
    )
