"""Real double judgments to walk with: product search, judged by three people (the shared data's chorus-products)."""

import csv
from dataclasses import dataclass
from pathlib import Path

QUERIES = 40


@dataclass(frozen=True)
class Products:
    """The first forty queries. `grades` is (qid, docno) → what raters 1, 2 and 3 gave."""

    folder: Path
    queries: dict[str, str]
    grades: dict[tuple[str, str], tuple[int, int, int]]

    @property
    def runs(self) -> list[Path]:
        return sorted((self.folder / "runs").glob("*.run"))

    def queries_file(self, folder: Path) -> Path:
        path = folder / "queries.tsv"
        path.write_text("".join(f"{qid}\t{text}\n" for qid, text in self.queries.items()), "utf-8")
        return path

    def pairs_file(self, folder: Path) -> Path:
        path = folder / "pairs.tsv"
        path.write_text("".join(f"{qid}\t{docno}\n" for qid, docno in self.grades), "utf-8")
        return path


def read_products(shared_data: Path) -> Products:
    folder = shared_data / "chorus-products"
    lines = (folder / "topics.tsv").read_text("utf-8").splitlines()[:QUERIES]
    queries = dict(line.split("\t", 1) for line in lines)
    qid_of = {text: qid for qid, text in queries.items()}
    with (folder / "Broad_Query_Set_individual_ratings.csv").open(encoding="utf-8", newline="") as file:
        grades = {
            (qid_of[row["query"]], row["docid"]): (
                int(row["agent_1_rating"]),
                int(row["agent_2_rating"]),
                int(row["agent_3_rating"]),
            )
            for row in csv.DictReader(file)
            if row["query"] in qid_of
        }
    return Products(folder, queries, grades)
