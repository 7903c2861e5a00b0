-- Ridgeline's database, version 4. Names are scoped to their dataset; counters are data, never identifiers.
-- A value that was not measured has no row: there is no NULL, NaN or infinity in a value column.

CREATE TABLE meta (key VARCHAR PRIMARY KEY, value VARCHAR NOT NULL);

-- `revision` grows with every change to what is below a dataset.
CREATE TABLE dataset (
    id INTEGER PRIMARY KEY,
    name VARCHAR NOT NULL UNIQUE,
    created TIMESTAMP NOT NULL,
    revision INTEGER NOT NULL DEFAULT 0
);

-- One imported file, or what came through the inbox on one day, and the hash by which it is recognised.
CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    dataset INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    sha256 VARCHAR NOT NULL,
    format VARCHAR NOT NULL,
    imported TIMESTAMP NOT NULL,
    n_trials INTEGER NOT NULL,
    report VARCHAR NOT NULL,
    UNIQUE (dataset, sha256)
);

CREATE TABLE application (id INTEGER PRIMARY KEY, dataset INTEGER NOT NULL, name VARCHAR NOT NULL, UNIQUE (dataset, name));
CREATE TABLE input (id INTEGER PRIMARY KEY, application INTEGER NOT NULL, name VARCHAR NOT NULL, UNIQUE (application, name));
CREATE TABLE machine (id INTEGER PRIMARY KEY, dataset INTEGER NOT NULL, name VARCHAR NOT NULL, UNIQUE (dataset, name));

-- `original` is the unit as files wrote it, where values were converted; `rule` is the rule that made the values,
-- and '' where they were measured.
CREATE TABLE metric (
    id INTEGER PRIMARY KEY,
    dataset INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    unit VARCHAR NOT NULL,
    collector VARCHAR NOT NULL,
    original VARCHAR NOT NULL DEFAULT '',
    rule VARCHAR NOT NULL DEFAULT '',
    UNIQUE (dataset, name)
);

-- `number` is dense and small, for joins and for scattering values into matrices; `id` is for the world.
CREATE TABLE trial (
    number INTEGER NOT NULL,
    id UUID NOT NULL,
    dataset INTEGER NOT NULL,
    application INTEGER NOT NULL,
    input INTEGER NOT NULL,
    machine INTEGER NOT NULL,
    run INTEGER NOT NULL,
    setting VARCHAR NOT NULL,
    source INTEGER NOT NULL,
    position INTEGER NOT NULL
);

-- Written in (metric, trial) order, so that reading one metric touches few blocks.
CREATE TABLE measurement (metric INTEGER NOT NULL, trial INTEGER NOT NULL, value DOUBLE NOT NULL);
CREATE TABLE input_metric (metric INTEGER NOT NULL, input INTEGER NOT NULL, value DOUBLE NOT NULL);
CREATE TABLE machine_metric (metric INTEGER NOT NULL, machine INTEGER NOT NULL, value DOUBLE NOT NULL);

CREATE TABLE trial_label (trial INTEGER NOT NULL, name VARCHAR NOT NULL, value VARCHAR NOT NULL);
CREATE TABLE input_label (input INTEGER NOT NULL, name VARCHAR NOT NULL, value VARCHAR NOT NULL);
CREATE TABLE machine_label (machine INTEGER NOT NULL, name VARCHAR NOT NULL, value VARCHAR NOT NULL);

-- Which trials do not count, by which rules, and why; a trial counts when no rule excludes it.
-- Nothing is deleted to make a model fit.
CREATE TABLE exclusion (trial INTEGER NOT NULL, rule VARCHAR NOT NULL, reason VARCHAR NOT NULL, made TIMESTAMP NOT NULL);

-- Which metrics are not offered to models, by which rules, and why.
CREATE TABLE hidden_metric (metric INTEGER NOT NULL, rule VARCHAR NOT NULL, reason VARCHAR NOT NULL, made TIMESTAMP NOT NULL);

-- What was done to the trials of a dataset by hand or by rule. `lifted` is a JSON list of the ids of trials that one
-- rule had excluded until then, `metrics` a JSON list of the names of metrics that were hidden, made or changed.
CREATE TABLE audit (
    id INTEGER NOT NULL,
    made TIMESTAMP NOT NULL,
    dataset INTEGER NOT NULL,
    action VARCHAR NOT NULL,
    rule VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    n_trials INTEGER NOT NULL,
    n_metrics INTEGER NOT NULL,
    lifted VARCHAR NOT NULL,
    metrics VARCHAR NOT NULL
);

CREATE TABLE model (
    id VARCHAR PRIMARY KEY,
    name VARCHAR NOT NULL,
    dataset VARCHAR NOT NULL,
    recipe VARCHAR NOT NULL,
    response VARCHAR NOT NULL,
    created TIMESTAMP NOT NULL,
    n_trials INTEGER NOT NULL,
    scores VARCHAR NOT NULL,
    options VARCHAR NOT NULL,
    document VARCHAR NOT NULL
);

-- Which of the models of its name each is, counted from 1, and what people say of it.
CREATE TABLE model_version (
    model VARCHAR NOT NULL,
    version INTEGER NOT NULL,
    note VARCHAR NOT NULL,
    changed TIMESTAMP NOT NULL
);

CREATE TABLE job (
    id VARCHAR PRIMARY KEY,
    kind VARCHAR NOT NULL,
    title VARCHAR NOT NULL,
    options VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    message VARCHAR NOT NULL,
    result VARCHAR NOT NULL,
    started TIMESTAMP NOT NULL,
    finished TIMESTAMP
);

-- What was learnt in a race without one fold (or, with fold -1, with all trials). `race` is a hash of the trials,
-- the folds, the seed and the entry, so that a run serves every race that it fits.
CREATE TABLE race_run (
    dataset INTEGER NOT NULL,
    race VARCHAR NOT NULL,
    entry VARCHAR NOT NULL,
    fold INTEGER NOT NULL,
    made TIMESTAMP NOT NULL,
    document VARCHAR NOT NULL
);

-- A dataset that is a folder of Parquet files, which are only read. `roles` say what its columns are, `files` which
-- files with how many rows it had when it was added, and `summary` what these hold, all as JSON.
CREATE TABLE folder (
    dataset INTEGER PRIMARY KEY,
    url VARCHAR NOT NULL,
    added TIMESTAMP NOT NULL,
    fingerprint VARCHAR NOT NULL,
    n_trials BIGINT NOT NULL,
    n_applications INTEGER NOT NULL,
    n_inputs INTEGER NOT NULL,
    n_machines INTEGER NOT NULL,
    roles VARCHAR NOT NULL,
    files VARCHAR NOT NULL,
    summary VARCHAR NOT NULL
);

-- Experiments that were begun, as TOML; `id` is a hash of the document, so that the same one is kept once.
CREATE TABLE experiment (
    id VARCHAR PRIMARY KEY,
    dataset INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    made TIMESTAMP NOT NULL,
    n_fits INTEGER NOT NULL,
    document VARCHAR NOT NULL
);

-- What one fit of an experiment came to. `fit` is a hash of the trials, both sides of the split and all options, so
-- that a result serves every experiment that it fits.
CREATE TABLE experiment_result (
    fit VARCHAR PRIMARY KEY,
    dataset INTEGER NOT NULL,
    made TIMESTAMP NOT NULL,
    document VARCHAR NOT NULL
);
