"""The first tables, and the triggers that keep what was given, decided and frozen as it was."""

import sqlalchemy as sa
from alembic import op

revision = "20261130"
down_revision = None


APPEND_ONLY = ("act", "grade", "decision", "release", "judgment", "ruling")
OF_A_PUBLISHED_RUBRIC = (
    "EXISTS (SELECT 1 FROM rubric WHERE rubric.project_id = {row}.project_id"
    " AND rubric.id = {row}.rubric_id AND rubric.published_at IS NOT NULL)"
)


# What a deal and an assignment are from the first on, and what stays as it is once there is a grade.
OF_A_DEAL = ("project_id", "id", "round_id", "query_id", "seat", "purpose")
OF_AN_ASSIGNMENT = ("project_id", "id", "round_id", "pair_id", "purpose")
ONCE_GRADED = ("deal_id", "labeller_id", "place", "stop", "is_returning")


# On SQLite INSERT OR REPLACE deletes the row in its way without asking the triggers of DELETE. Assignments come by the
# hundred thousand and would take twice as long to write: the record tells of them.
REPLACED = {
    "act": ("chain_id, number",),
    "chain": ("id",),
    "deal": ("project_id, id", "project_id, round_id, query_id, labeller_id, purpose"),
    "grade": ("project_id, id", "project_id, assignment_id, key", "project_id, assignment_id, revision"),
}


def refusals() -> list[tuple[str, str, str]]:
    """Table, event and the condition under which a row-level trigger refuses it."""
    always = [(table, event, "1 = 1") for table in APPEND_ONLY for event in ("UPDATE", "DELETE")]
    chain = [("chain", "UPDATE", "NEW.acts <= OLD.acts OR NEW.id <> OLD.id"), ("chain", "DELETE", "1 = 1")]
    rubric = [("rubric", event, "OLD.published_at IS NOT NULL") for event in ("UPDATE", "DELETE")]
    level = [("level", event, OF_A_PUBLISHED_RUBRIC.format(row="OLD")) for event in ("UPDATE", "DELETE")]
    regraded = f"NEW.revision < OLD.revision OR OLD.revision > 0 AND ({differs(ONCE_GRADED)})"
    plan = [
        ("deal", "UPDATE", differs(OF_A_DEAL)),
        ("assignment", "UPDATE", f"{differs(OF_AN_ASSIGNMENT)} OR {regraded}"),
        ("assignment", "DELETE", "OLD.purpose = 'judging' OR OLD.revision > 0"),
    ]
    return [*always, *chain, *rubric, *level, ("level", "INSERT", OF_A_PUBLISHED_RUBRIC.format(row="NEW")), *plan]


def differs(columns: tuple[str, ...]) -> str:
    return " OR ".join(f"NEW.{column} <> OLD.{column}" for column in columns)


def replacements() -> list[tuple[str, str, str]]:
    """The same for inserting in the place of another row."""
    return [(table, "INSERT", " OR ".join(in_the_way(table, key) for key in keys)) for table, keys in REPLACED.items()]


def in_the_way(table: str, key: str) -> str:
    same = " AND ".join(f"there.{column} = NEW.{column}" for column in key.split(", "))
    return f'EXISTS (SELECT 1 FROM "{table}" AS there WHERE {same})'  # noqa: S608 - names of ours


def refuse_on_sqlite(table: str, event: str, condition: str) -> None:
    op.execute(
        f'CREATE TRIGGER {table}_refuses_{event.lower()} BEFORE {event} ON "{table}" WHEN {condition}'
        f" BEGIN SELECT RAISE(ABORT, '{table} rows are never changed'); END"
    )


def refuse_on_postgresql(table: str, event: str, condition: str) -> None:
    function, returned = f"{table}_refuses_{event.lower()}", "OLD" if event == "DELETE" else "NEW"
    op.execute(
        f"CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" IF {condition} THEN RAISE EXCEPTION '{table} rows are never changed'; END IF; RETURN {returned}; END $$"
    )
    op.execute(f'CREATE TRIGGER {function} BEFORE {event} ON "{table}" FOR EACH ROW EXECUTE FUNCTION {function}()')


def refuse_emptying(table: str) -> None:
    """TRUNCATE asks no trigger of a row. SQLite has no such statement."""
    function = f"{table}_refuses_truncate"
    op.execute(
        f"CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" RAISE EXCEPTION '{table} rows are never changed'; END $$"
    )
    op.execute(
        f'CREATE TRIGGER {function} BEFORE TRUNCATE ON "{table}" FOR EACH STATEMENT EXECUTE FUNCTION {function}()'
    )


def emptied() -> list[str]:
    return sorted({table for table, event, _ in refusals() if event == "DELETE"})


def create_triggers() -> None:
    if op.get_bind().dialect.name == "sqlite":
        for refusal in [*refusals(), *replacements()]:
            refuse_on_sqlite(*refusal)
        return
    for refusal in refusals():
        refuse_on_postgresql(*refusal)
    for table in emptied():
        refuse_emptying(table)


def drop_triggers() -> None:
    if op.get_bind().dialect.name == "sqlite":
        for table, event, _ in [*refusals(), *replacements()]:
            op.execute(f"DROP TRIGGER {table}_refuses_{event.lower()}")
        return
    for table, event in [*((table, event) for table, event, _ in refusals()), *((t, "TRUNCATE") for t in emptied())]:
        name = f"{table}_refuses_{event.lower()}"
        op.execute(f'DROP TRIGGER {name} ON "{table}"')
        op.execute(f"DROP FUNCTION {name}()")


def upgrade() -> None:
    chain = op.create_table(
        "chain",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("acts", sa.Integer(), nullable=False),
        sa.Column("head", sa.String(length=64), nullable=False),
        sa.CheckConstraint("acts >= 0", name=op.f("ck_chain_acts")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chain")),
    )
    op.bulk_insert(chain, [{"id": "installation", "acts": 0, "head": "0" * 64}])
    op.create_table(
        "act",
        sa.Column("chain_id", sa.String(length=16), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("who", sa.String(length=16), nullable=False),
        sa.Column("token_id", sa.String(length=16), nullable=True),
        sa.Column("verb", sa.Text(), nullable=False),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.CheckConstraint("number >= 1", name=op.f("ck_act_number")),
        sa.PrimaryKeyConstraint("chain_id", "number", name=op.f("pk_act")),
    )
    op.create_index("ix_act_chain_id_verb", "act", ["chain_id", "verb", "number"], unique=False)
    op.create_table(
        "attempt",
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempt")),
    )
    op.create_index("ix_attempt_about_at", "attempt", ["about", "at"], unique=False)
    op.create_table(
        "person",
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("is_admin", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
        sa.UniqueConstraint("email", name=op.f("uq_person_email")),
    )
    op.create_table(
        "set_up_code",
        sa.Column("only", sa.Integer(), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint('"only" = 1', name=op.f("ck_set_up_code_one_row")),
        sa.PrimaryKeyConstraint("only", name=op.f("pk_set_up_code")),
    )
    op.create_table(
        "project",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("gain", sa.Text(), nullable=False),
        sa.Column("gain_table", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("gain_reason", sa.Text(), nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("is_small_set", sa.Boolean(), nullable=False),
        sa.Column("primary_stands", sa.Boolean(), nullable=False),
        sa.Column("policy_frozen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("shown_fields", sa.JSON(), nullable=False),
        sa.Column("picture_field", sa.Text(), nullable=False),
        sa.Column("picture_hosts", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.CheckConstraint("(gain = 'table') = (gain_table IS NOT NULL)", name=op.f("ck_project_gain_table")),
        sa.CheckConstraint("gain IN ('exponential', 'linear', 'table')", name=op.f("ck_project_gain")),
        sa.CheckConstraint("policy IN ('strict', 'standard', 'exploratory')", name=op.f("ck_project_policy")),
        sa.ForeignKeyConstraint(["created_by_id"], ["person.id"], name=op.f("fk_project_created_by_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_project")),
    )
    op.create_table(
        "sign_in",
        sa.Column("person_id", sa.String(length=16), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("browser", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("password_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_sign_in_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_sign_in_secret_hash")),
    )
    op.create_index(op.f("ix_sign_in_person_id"), "sign_in", ["person_id"], unique=False)
    op.create_table(
        "document",
        sa.Column("docno", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("html", sa.Text(), nullable=False),
        sa.Column("lang", sa.Text(), nullable=False),
        sa.Column("fields", sa.JSON(), nullable=False),
        sa.Column("shown_fields", sa.JSON(), nullable=False),
        sa.Column("is_placeholder", sa.Boolean(), nullable=False),
        sa.Column("source_hash", sa.String(length=64), nullable=True),
        sa.Column("text_hash", sa.String(length=64), nullable=False),
        sa.Column("imported_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_document_project_id")),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_document")),
        sa.UniqueConstraint("project_id", "docno", name=op.f("uq_document_project_id_docno")),
    )
    op.create_table(
        "member",
        sa.Column("person_id", sa.String(length=16), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("is_machine", sa.Boolean(), nullable=False),
        sa.Column("joined_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("left_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("saw_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.CheckConstraint("person_id IS NOT NULL OR role = 'labeller'", name=op.f("ck_member_outsider")),
        sa.CheckConstraint("person_id IS NULL OR NOT is_machine", name=op.f("ck_member_machine")),
        sa.CheckConstraint("role IN ('lead', 'labeller', 'reader')", name=op.f("ck_member_role")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_member_person_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_member_project_id")),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_member")),
        sa.UniqueConstraint("project_id", "name", name=op.f("uq_member_project_id_name")),
        sa.UniqueConstraint("project_id", "person_id", name=op.f("uq_member_project_id_person_id")),
    )
    op.create_index(op.f("ix_member_person_id"), "member", ["person_id"], unique=False)
    op.create_table(
        "pool",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=True),
        sa.Column("run_names", sa.JSON(), nullable=False),
        sa.Column("drawn_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("drawn_by_id", sa.String(length=16), nullable=False),
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.CheckConstraint("(source = 'runs') = (depth IS NOT NULL)", name=op.f("ck_pool_depth")),
        sa.CheckConstraint("source IN ('runs', 'pairs', 'grades')", name=op.f("ck_pool_source")),
        sa.ForeignKeyConstraint(["drawn_by_id"], ["person.id"], name=op.f("fk_pool_drawn_by_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_pool_project_id")),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_pool")),
        sa.UniqueConstraint("project_id", "number", name=op.f("uq_pool_project_id_number")),
    )
    op.create_table(
        "query",
        sa.Column("qid", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("narrative", sa.Text(), nullable=False),
        sa.Column("slice", sa.Text(), nullable=False),
        sa.Column("lang", sa.Text(), nullable=False),
        sa.Column("imported_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_query_project_id")),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_query")),
        sa.UniqueConstraint("project_id", "qid", name=op.f("uq_query_project_id_qid")),
    )
    op.create_table(
        "release",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("is_gated", sa.Boolean(), nullable=False),
        sa.Column("waiver_reason", sa.Text(), nullable=True),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("manifest", sa.Text(), nullable=False),
        sa.Column("frozen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("frozen_by_id", sa.String(length=16), nullable=False),
        sa.Column("record_number", sa.Integer(), nullable=False),
        sa.Column("record_hash", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.CheckConstraint(
            "is_gated OR kind = 'reference' OR waiver_reason IS NOT NULL", name=op.f("ck_release_waiver")
        ),
        sa.CheckConstraint("kind = 'judged' OR NOT is_gated", name=op.f("ck_release_reference_is_ungated")),
        sa.CheckConstraint("kind IN ('judged', 'reference')", name=op.f("ck_release_kind")),
        sa.ForeignKeyConstraint(["frozen_by_id"], ["person.id"], name=op.f("fk_release_frozen_by_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_release_project_id")),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_release")),
        sa.UniqueConstraint("project_id", "number", name=op.f("uq_release_project_id_number")),
    )
    op.create_table(
        "rubric",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("family", sa.Integer(), nullable=False),
        sa.Column("instructions", sa.Text(), nullable=False),
        sa.Column("unjudgeable", sa.Text(), nullable=False),
        sa.Column("refusals", sa.JSON(), nullable=False),
        sa.Column("threshold", sa.Integer(), nullable=False),
        sa.Column("comparative_reason", sa.Text(), nullable=False),
        sa.Column("text_hash", sa.String(length=64), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("published_by_id", sa.String(length=16), nullable=True),
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.CheckConstraint("(published_at IS NULL) = (text_hash IS NULL)", name=op.f("ck_rubric_frozen")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_rubric_project_id")),
        sa.ForeignKeyConstraint(["published_by_id"], ["person.id"], name=op.f("fk_rubric_published_by_id")),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_rubric")),
        sa.UniqueConstraint("project_id", "number", name=op.f("uq_rubric_project_id_number")),
    )
    op.create_table(
        "run",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("rankings", sa.Integer(), nullable=False),
        sa.Column("lines", sa.Integer(), nullable=False),
        sa.Column("imported_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_run_project_id")),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_run")),
        sa.UniqueConstraint("project_id", "name", name=op.f("uq_run_project_id_name")),
    )
    op.create_table(
        "token",
        sa.Column("person_id", sa.String(length=16), nullable=False),
        sa.Column("project_id", sa.String(length=16), nullable=True),
        sa.Column("right", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.CheckConstraint("\"right\" IN ('read', 'write', 'start')", name=op.f("ck_token_right")),
        sa.CheckConstraint("(\"right\" = 'start') = (project_id IS NULL)", name=op.f("ck_token_scope")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_token_person_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_token_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_token")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_token_secret_hash")),
    )
    op.create_index("ix_token_person_id", "token", ["person_id"], unique=False)
    op.create_table(
        "invitation",
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by_id", sa.String(length=16), nullable=False),
        sa.Column("token_id", sa.String(length=16), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.CheckConstraint("role IN ('lead', 'labeller', 'reader')", name=op.f("ck_invitation_role")),
        sa.ForeignKeyConstraint(["created_by_id"], ["person.id"], name=op.f("fk_invitation_created_by_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_invitation_project_id")),
        sa.ForeignKeyConstraint(["token_id"], ["token.id"], name=op.f("fk_invitation_token_id")),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_invitation_secret_hash")),
    )
    op.create_table(
        "upload",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("chosen", sa.JSON(), nullable=False),
        sa.Column("counts", sa.JSON(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("uploaded_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("uploaded_by_id", sa.String(length=16), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.CheckConstraint("state IN ('previewed', 'done', 'dropped')", name=op.f("ck_upload_state")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_upload_project_id")),
        sa.ForeignKeyConstraint(["uploaded_by_id"], ["person.id"], name=op.f("fk_upload_uploaded_by_id")),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_upload")),
    )
    op.create_table(
        "judgment",
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("release_id", sa.String(length=16), nullable=False),
        sa.Column("qid", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("docno", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("grade", sa.Integer(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("text_hash", sa.String(length=64), nullable=True),
        sa.CheckConstraint(
            "source IN ('agreed', 'adjudicated', 'primary', 'single', 'imported', 'carried', 'reference')",
            name=op.f("ck_judgment_source"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id", "release_id"],
            ["release.project_id", "release.id"],
            name=op.f("fk_judgment_project_id_release_id"),
        ),
        sa.PrimaryKeyConstraint("project_id", "release_id", "qid", "docno", name=op.f("pk_judgment")),
    )
    op.create_table(
        "level",
        sa.Column("rubric_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("examples", sa.JSON(), nullable=False),
        sa.Column("counter_examples", sa.JSON(), nullable=False),
        sa.Column("not_this", sa.Text(), nullable=False),
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.CheckConstraint("number >= 0", name=op.f("ck_level_number")),
        sa.ForeignKeyConstraint(
            ["project_id", "rubric_id"], ["rubric.project_id", "rubric.id"], name=op.f("fk_level_project_id_rubric_id")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_level_project_id")),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_level")),
        sa.UniqueConstraint("project_id", "rubric_id", "number", name=op.f("uq_level_project_id_rubric_id_number")),
    )
    op.create_table(
        "pair",
        sa.Column("query_id", sa.Text(), nullable=False),
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id", "document_id"],
            ["document.project_id", "document.id"],
            name=op.f("fk_pair_project_id_document_id"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id", "query_id"], ["query.project_id", "query.id"], name=op.f("fk_pair_project_id_query_id")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_pair_project_id")),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_pair")),
        sa.UniqueConstraint(
            "project_id", "query_id", "document_id", name=op.f("uq_pair_project_id_query_id_document_id")
        ),
    )
    op.create_table(
        "ranking",
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("run_id", sa.String(length=16), nullable=False),
        sa.Column("qid", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("returned", sa.Integer(), nullable=False),
        sa.Column("packed_docnos", sa.LargeBinary(), nullable=False),
        sa.Column("packed_scores", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("returned > 0", name=op.f("ck_ranking_returned")),
        sa.ForeignKeyConstraint(
            ["project_id", "run_id"], ["run.project_id", "run.id"], name=op.f("fk_ranking_project_id_run_id")
        ),
        sa.PrimaryKeyConstraint("project_id", "run_id", "qid", name=op.f("pk_ranking")),
    )
    op.create_table(
        "round",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("rubric_id", sa.Text(), nullable=False),
        sa.Column("pool_id", sa.Text(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("overlap", sa.Double(), nullable=False),
        sa.Column("idle_minutes", sa.Integer(), nullable=True),
        sa.Column("repeats", sa.Double(), nullable=False),
        sa.Column("quiz", sa.Integer(), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("opened_by_id", sa.String(length=16), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.CheckConstraint("kind IN ('agreement', 'main', 'repool', 'imported')", name=op.f("ck_round_kind")),
        sa.CheckConstraint("overlap >= 0 AND overlap <= 1", name=op.f("ck_round_overlap")),
        sa.CheckConstraint("idle_minutes IS NULL OR idle_minutes >= 1", name=op.f("ck_round_idle_minutes")),
        sa.CheckConstraint("repeats >= 0 AND repeats <= 1 AND quiz >= 0", name=op.f("ck_round_checks")),
        sa.ForeignKeyConstraint(["opened_by_id"], ["person.id"], name=op.f("fk_round_opened_by_id")),
        sa.ForeignKeyConstraint(
            ["project_id", "pool_id"], ["pool.project_id", "pool.id"], name=op.f("fk_round_project_id_pool_id")
        ),
        sa.ForeignKeyConstraint(
            ["project_id", "rubric_id"], ["rubric.project_id", "rubric.id"], name=op.f("fk_round_project_id_rubric_id")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_round_project_id")),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_round")),
        sa.UniqueConstraint("project_id", "number", name=op.f("uq_round_project_id_number")),
    )
    op.create_table(
        "deal",
        sa.Column("round_id", sa.Text(), nullable=False),
        sa.Column("query_id", sa.Text(), nullable=False),
        sa.Column("labeller_id", sa.Text(), nullable=True),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("claimed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.CheckConstraint("claimed_at IS NULL OR labeller_id IS NOT NULL", name=op.f("ck_deal_claim")),
        sa.CheckConstraint("purpose IN ('judging', 'repeat', 'gold')", name=op.f("ck_deal_purpose")),
        sa.CheckConstraint("seat >= 1", name=op.f("ck_deal_seat")),
        sa.ForeignKeyConstraint(
            ["project_id", "labeller_id"],
            ["member.project_id", "member.id"],
            name=op.f("fk_deal_project_id_labeller_id"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id", "query_id"], ["query.project_id", "query.id"], name=op.f("fk_deal_project_id_query_id")
        ),
        sa.ForeignKeyConstraint(
            ["project_id", "round_id"], ["round.project_id", "round.id"], name=op.f("fk_deal_project_id_round_id")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_deal_project_id")),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_deal")),
        sa.UniqueConstraint(
            "project_id", "round_id", "query_id", "labeller_id", "purpose", name=op.f("uq_deal_labeller")
        ),
    )
    op.create_table(
        "decision",
        sa.Column("pair_id", sa.Text(), nullable=False),
        sa.Column("family", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("adjudicator_id", sa.Text(), nullable=False),
        sa.Column("level", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.CheckConstraint("step <> 'decided' OR reason <> ''", name=op.f("ck_decision_reason")),
        sa.CheckConstraint("step IN ('blind', 'decided', 'undone')", name=op.f("ck_decision_step")),
        sa.ForeignKeyConstraint(
            ["project_id", "adjudicator_id"],
            ["member.project_id", "member.id"],
            name=op.f("fk_decision_project_id_adjudicator_id"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id", "pair_id"], ["pair.project_id", "pair.id"], name=op.f("fk_decision_project_id_pair_id")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_decision_project_id")),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_decision")),
        sa.UniqueConstraint(
            "project_id", "pair_id", "family", "revision", name=op.f("uq_decision_project_id_pair_id_family_revision")
        ),
    )
    op.create_table(
        "pool_pair",
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("pool_id", sa.String(length=16), nullable=False),
        sa.Column("pair_id", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id", "pair_id"], ["pair.project_id", "pair.id"], name=op.f("fk_pool_pair_project_id_pair_id")
        ),
        sa.ForeignKeyConstraint(
            ["project_id", "pool_id"], ["pool.project_id", "pool.id"], name=op.f("fk_pool_pair_project_id_pool_id")
        ),
        sa.PrimaryKeyConstraint("project_id", "pool_id", "pair_id", name=op.f("pk_pool_pair")),
    )
    op.create_table(
        "assignment",
        sa.Column("round_id", sa.Text(), nullable=False),
        sa.Column("deal_id", sa.Text(), nullable=False),
        sa.Column("pair_id", sa.Text(), nullable=False),
        sa.Column("labeller_id", sa.Text(), nullable=True),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("stop", sa.Integer(), nullable=False),
        sa.Column("is_returning", sa.Boolean(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("set_aside", sa.Integer(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.CheckConstraint("purpose IN ('judging', 'repeat', 'gold')", name=op.f("ck_assignment_purpose")),
        sa.CheckConstraint("revision = 0 OR labeller_id IS NOT NULL", name=op.f("ck_assignment_graded_by")),
        sa.CheckConstraint("revision >= 0 AND set_aside >= 0", name=op.f("ck_assignment_counts")),
        sa.ForeignKeyConstraint(
            ["project_id", "deal_id"], ["deal.project_id", "deal.id"], name=op.f("fk_assignment_project_id_deal_id")
        ),
        sa.ForeignKeyConstraint(
            ["project_id", "labeller_id"],
            ["member.project_id", "member.id"],
            name=op.f("fk_assignment_project_id_labeller_id"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id", "pair_id"], ["pair.project_id", "pair.id"], name=op.f("fk_assignment_project_id_pair_id")
        ),
        sa.ForeignKeyConstraint(
            ["project_id", "round_id"], ["round.project_id", "round.id"], name=op.f("fk_assignment_project_id_round_id")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_assignment_project_id")),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_assignment")),
        sa.UniqueConstraint(
            "project_id", "round_id", "pair_id", "labeller_id", "purpose", name=op.f("uq_assignment_labeller")
        ),
    )
    op.create_index(
        "ix_assignment_next",
        "assignment",
        ["project_id", "round_id", "labeller_id", "revision", "place", "is_returning"],
        unique=False,
    )
    op.create_index(
        "ix_assignment_stop",
        "assignment",
        ["project_id", "round_id", "labeller_id", "stop", "revision"],
        unique=False,
    )
    op.create_index("ix_assignment_deal", "assignment", ["project_id", "deal_id"], unique=False)
    op.create_index("ix_assignment_pair", "assignment", ["project_id", "pair_id"], unique=False)
    op.create_table(
        "gold",
        sa.Column("pair_id", sa.Text(), nullable=False),
        sa.Column("family", sa.Integer(), nullable=False),
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("set_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("set_by_id", sa.String(length=16), nullable=False),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id", "pair_id"], ["pair.project_id", "pair.id"], name=op.f("fk_gold_project_id_pair_id")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_gold_project_id")),
        sa.ForeignKeyConstraint(["set_by_id"], ["person.id"], name=op.f("fk_gold_set_by_id")),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_gold")),
    )
    op.create_index(
        "uq_gold_pair",
        "gold",
        ["project_id", "family", "pair_id"],
        unique=True,
        sqlite_where=sa.text("withdrawn_at IS NULL"),
        postgresql_where=sa.text("withdrawn_at IS NULL"),
    )
    op.create_table(
        "returned",
        sa.Column("assignment_id", sa.Text(), nullable=False),
        sa.Column("labeller_id", sa.Text(), nullable=False),
        sa.Column("returned_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id", "assignment_id"],
            ["assignment.project_id", "assignment.id"],
            name=op.f("fk_returned_project_id_assignment_id"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id", "labeller_id"],
            ["member.project_id", "member.id"],
            name=op.f("fk_returned_project_id_labeller_id"),
        ),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_returned_project_id")),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_returned")),
        sa.UniqueConstraint(
            "project_id",
            "assignment_id",
            "labeller_id",
            name=op.f("uq_returned_project_id_assignment_id_labeller_id"),
        ),
    )
    op.create_table(
        "ruling",
        sa.Column("rubric_id", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("given_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("given_by_id", sa.String(length=16), nullable=False),
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(["given_by_id"], ["person.id"], name=op.f("fk_ruling_given_by_id")),
        sa.ForeignKeyConstraint(
            ["project_id", "rubric_id"],
            ["rubric.project_id", "rubric.id"],
            name=op.f("fk_ruling_project_id_rubric_id"),
        ),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_ruling_project_id")),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_ruling")),
    )
    op.create_index("ix_ruling_rubric", "ruling", ["project_id", "rubric_id"], unique=False)
    op.create_table(
        "question",
        sa.Column("assignment_id", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ruling_id", sa.Text(), nullable=True),
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id", "assignment_id"],
            ["assignment.project_id", "assignment.id"],
            name=op.f("fk_question_project_id_assignment_id"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id", "ruling_id"],
            ["ruling.project_id", "ruling.id"],
            name=op.f("fk_question_project_id_ruling_id"),
        ),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_question_project_id")),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_question")),
    )
    op.create_index("ix_question_assignment", "question", ["project_id", "assignment_id"], unique=False)
    op.create_table(
        "grade",
        sa.Column("assignment_id", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("level", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("rationale", sa.Text(), nullable=False),
        sa.Column("text_hash", sa.String(length=64), nullable=False),
        sa.Column("rubric_id", sa.Text(), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("active_ms", sa.Integer(), nullable=True),
        sa.Column("given_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("project_id", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.CheckConstraint("origin IN ('browser', 'api', 'import')", name=op.f("ck_grade_origin")),
        sa.CheckConstraint("(level IS NULL) <> (reason IS NULL)", name=op.f("ck_grade_level_or_reason")),
        sa.CheckConstraint("revision >= 1", name=op.f("ck_grade_revision")),
        sa.ForeignKeyConstraint(
            ["project_id", "assignment_id"],
            ["assignment.project_id", "assignment.id"],
            name=op.f("fk_grade_project_id_assignment_id"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id", "rubric_id"], ["rubric.project_id", "rubric.id"], name=op.f("fk_grade_project_id_rubric_id")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_grade_project_id")),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_grade")),
        sa.UniqueConstraint(
            "project_id", "assignment_id", "revision", name=op.f("uq_grade_project_id_assignment_id_revision")
        ),
        sa.UniqueConstraint("project_id", "assignment_id", "key", name=op.f("uq_grade_project_id_assignment_id_key")),
    )
    create_triggers()


def downgrade() -> None:
    drop_triggers()
    op.drop_table("grade")
    op.drop_index("ix_question_assignment", table_name="question")
    op.drop_table("question")
    op.drop_index("ix_ruling_rubric", table_name="ruling")
    op.drop_table("ruling")
    op.drop_table("returned")
    op.drop_index("uq_gold_pair", table_name="gold")
    op.drop_table("gold")
    op.drop_index("ix_assignment_pair", table_name="assignment")
    op.drop_index("ix_assignment_stop", table_name="assignment")
    op.drop_index("ix_assignment_next", table_name="assignment")
    op.drop_index("ix_assignment_deal", table_name="assignment")
    op.drop_table("assignment")
    op.drop_table("pool_pair")
    op.drop_table("decision")
    op.drop_table("deal")
    op.drop_table("round")
    op.drop_table("ranking")
    op.drop_table("pair")
    op.drop_table("level")
    op.drop_table("judgment")
    op.drop_table("upload")
    op.drop_table("invitation")
    op.drop_index("ix_token_person_id", table_name="token")
    op.drop_table("token")
    op.drop_table("run")
    op.drop_table("rubric")
    op.drop_table("release")
    op.drop_table("query")
    op.drop_table("pool")
    op.drop_index(op.f("ix_member_person_id"), table_name="member")
    op.drop_table("member")
    op.drop_table("document")
    op.drop_index(op.f("ix_sign_in_person_id"), table_name="sign_in")
    op.drop_table("sign_in")
    op.drop_table("project")
    op.drop_table("set_up_code")
    op.drop_table("person")
    op.drop_index("ix_attempt_about_at", table_name="attempt")
    op.drop_table("attempt")
    op.drop_index("ix_act_chain_id_verb", table_name="act")
    op.drop_table("act")
    op.drop_table("chain")
