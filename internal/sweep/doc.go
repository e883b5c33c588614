// Package sweep searches settings of a run by training with many of them.
//
//	Config -> Run (read the data once, then trials) -> Study (trials, winner) -> Study.Document
//
// A Space lists the searched settings and their values: ranges on a linear or logarithmic scale, or
// choices (space.go). A trial is a training with a point of the space. Its score is the validation
// score that selects the best epoch. Trials do not use the test part: it is scored once, for the
// winner, which is the first trial with the best score.
//
// A sampler draws the point of a trial, from a random stream named by the seed and the trial's
// number: uniformly, or by TPE, which uses the scores of finished trials (tpe.go). So random points
// are the same for any number of workers; points of TPE are reproducible with one worker only.
//
// A pruner decides how far a trial is trained (schedule.go); without a pruner, to the end. ASHA
// pauses trials at rungs, epoch numbers that grow by a factor, and continues the best share of the
// trials at each rung; a paused trial has a checkpoint. The median rule ends a trial whose best
// score is worse than the median of the others at the same epoch.
//
// The file study.journal has the state of the study: one JSON line for each operation, in the
// format of Optuna's JournalFileBackend (journal.go, replay.go). Each trial also has a run folder,
// for example trial-0007. A killed sweep is restored from both: an incomplete last line is cut,
// epochs that only the run folder has are added, and a running trial continues from its checkpoint.
// The next step of a single worker depends on nothing else, so the sweep ends as if it had never
// been stopped. Resuming with other settings than those in the journal is an error.
//
// A trial with contradictory settings, or whose training diverges, fails, and the sweep continues.
// Any other error ends the sweep.
package sweep
