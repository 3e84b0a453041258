"""Every table, declared by importing every slice's models: for migrations, which need them all at once."""

from app.agreement import models as agreement
from app.corpora import models as corpora
from app.judging import models as judging
from app.people import models as people
from app.pools import models as pools
from app.projects import models as projects
from app.record import models as record
from app.releases import models as releases
from app.rubrics import models as rubrics
from app.runs import models as runs

ALL_TABLES = (record, people, projects, rubrics, corpora, runs, pools, judging, agreement, releases)
