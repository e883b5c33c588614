// Package experiment holds the experiments of the paper, one file each: which models,
// which data sets, which shortened forms, and the paper's numbers beside ours.
//
// An Experiment declares its options as plain data and has one method, Run, which
// returns a report.Document; the verb reproduce makes a subcommand of each entry of the
// Registry. Most tables are grids of models by data sets: a gridExperiment says what is
// in one, and the grid engine (grid*.go) trains it:
//
//	gridRequest -> plan (read data, resolve settings, check) -> run (jobs) -> Grid (cells, tables, files)
//
// How a data set is divided and scored follows from what it is (protocol.go). All
// numbers of tables 3 and the ablation are in paper.go.
//
// The package parses no flags and prints nothing; it trains through package task.
package experiment
