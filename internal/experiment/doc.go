// Package experiment holds the experiments of the paper, one file each: models, data sets, shortened
// forms, and the paper's numbers for comparison.
//
// An Experiment declares its options as data and has one method, Run, which returns a report.Document.
// The command reproduce has a subcommand for each entry of the Registry. Most tables are grids of
// models by data sets: a gridExperiment describes a grid, and the grid engine (grid*.go) trains it:
//
//	gridRequest -> plan (read data, resolve settings, check) -> run (jobs) -> Grid (cells, tables, files)
//
// The kind of a data set determines its split and score (protocol.go). All numbers of tables 3 and the
// ablation are in paper.go.
//
// The package does not parse flags or print; it trains through package session.
package experiment
