-- Whether a project has files, and which, without looking at all that was said in it.
CREATE INDEX sources_by_project_kind ON sources (project_id, kind);
DROP INDEX sources_by_project;
