CREATE TABLE model_version (
    model VARCHAR NOT NULL, version INTEGER NOT NULL, note VARCHAR NOT NULL, changed TIMESTAMP NOT NULL
);
INSERT INTO model_version
    SELECT id, row_number() OVER (PARTITION BY name ORDER BY created, id), '', created FROM model;
CREATE TABLE folder (
    dataset INTEGER PRIMARY KEY, url VARCHAR NOT NULL, added TIMESTAMP NOT NULL, fingerprint VARCHAR NOT NULL,
    n_trials BIGINT NOT NULL, n_applications INTEGER NOT NULL, n_inputs INTEGER NOT NULL,
    n_machines INTEGER NOT NULL, roles VARCHAR NOT NULL, files VARCHAR NOT NULL, summary VARCHAR NOT NULL
);
CREATE TABLE experiment (
    id VARCHAR PRIMARY KEY, dataset INTEGER NOT NULL, name VARCHAR NOT NULL, made TIMESTAMP NOT NULL,
    n_fits INTEGER NOT NULL, document VARCHAR NOT NULL
);
CREATE TABLE experiment_result (
    fit VARCHAR PRIMARY KEY, dataset INTEGER NOT NULL, made TIMESTAMP NOT NULL, document VARCHAR NOT NULL
);
