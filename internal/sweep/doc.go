// Package sweep searches settings of a run by training with many of them.
//
//	Config -> Run (read the data once, then trials) -> Study (trials, winner) -> Study.Document
//
// A Space says which settings are searched and over which values: ranges, on a linear or a
// logarithmic scale, or choices (space.go). A trial is a training with a point of the space; its
// score is the validation score that the training keeps epochs by. Trials leave the test part
// alone: it is scored once, for the winner, which is the trial with the best score, the first of
// equals.
//
// A sampler draws the point of a trial, from the random stream of the seed and the trial's
// number: uniformly, or by TPE, which looks at the scores of trials that have ended (tpe.go). So
// random points are the same for any number of workers; those of TPE are with one worker.
//
// A pruner decides how far a trial is trained (schedule.go). Without one that is to the end.
// ASHA stops trials at rungs, numbers of epochs that grow by a factor, and goes on with the best
// share of those that have come to a rung; a trial waits at its rung with its checkpoint. The
// median rule ends a trial whose best score is below the median of the others at its epoch.
//
// Everything that decides is in study.journal, one JSON line an operation, in the format of
// Optuna's JournalFileBackend (journal.go, replay.go); each trial besides is a run folder,
// trial-0007, as train writes it. A sweep that was killed is read back from both: a torn last
// line is cut, epochs that only the run folder knows are added, and a trial under way goes on
// from its checkpoint. What one worker does next depends on nothing else, so it ends as if it
// had never been stopped. Other settings than those in the journal are refused.
//
// A trial with settings that do not go together, or whose training diverges, has failed, and the
// sweep goes on. Any other error ends it.
package sweep
