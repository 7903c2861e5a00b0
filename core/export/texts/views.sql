-- $title
--
-- Made by Ridgeline $version. For DuckDB and PostgreSQL; run the script once.
--     ${name}_rows         holds the rows to predict: an id from 0 on, and the metrics below. Fill the table,
--                         or leave its statement out and CREATE VIEW ${name}_rows over a table of yours.
--     ${name}_prediction   id, prediction, low, high, in_domain, flags, cluster
--     ${name}_self_test    the model's own test vectors: n, largest_relative_difference, wrong
-- The prediction is $response; NULL where there is none.
-- flags: 0, or the sum of 1 a metric is outside its trained range, 2 the row is too far from the training trials,
-- 4 there is no prediction.
-- Metrics:
$metrics

CREATE TABLE ${name}_rows (
  id bigint PRIMARY KEY,
$columns
);

CREATE VIEW ${name}_vectors AS
SELECT $casts FROM (VALUES
$vectors) AS v($names);

CREATE VIEW ${name}_answers AS
$answers;

CREATE VIEW ${name}_prediction AS
SELECT id, prediction, low, high, flags = 0 AS in_domain, flags, cluster FROM ${name}_answers WHERE id >= 0;

CREATE VIEW ${name}_self_test AS
SELECT count(*) AS n,
  max(abs(p.prediction - v.prediction) / abs(NULLIF(v.prediction, 0))) AS largest_relative_difference,
  sum(CASE WHEN p.flags <> v.flags OR (p.prediction IS NULL) <> (v.prediction IS NULL) THEN 1 ELSE 0 END) AS wrong
FROM ${name}_vectors v JOIN ${name}_answers p ON p.id = v.id;
