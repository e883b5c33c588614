// Package pipeline runs the visits of package visit as jobs of Apache Beam, on any engine that
// takes portable pipelines. It is the only importer of Beam.
//
// # A job for each turn
//
//	Create (blocks) → Scatter ─ GroupByKey (part) → Reduce ─ GroupByKey (block) → Apply → records
//
// Scatter reads a block and what its edges said in the turn before, and sends each part its
// sums (visit.Sums), which also ask for the rows of these nodes. Reduce adds them up, takes the
// turn of its part and answers each block. Apply takes the turn of its block and writes what comes
// of it. Where a turn has no rows of nodes, the job is Apply alone. An element is a batch for
// one pair of a block and a part, in bytes, never a row: an engine carries few large elements
// well and many small ones badly.
//
// States of edges are never shuffled. They are files below the work folder, which all
// workers see: a local path for engines on one machine or with a shared file system, gs:// for
// others. Workers get the run as a file there as well, and the names of folders in the fields of
// their functions, so that any process with this program can be a worker (Worker).
//
// # Turns and failures
//
// Between jobs the driver reads the records of the turn (the greatest message, from which the scale of
// the next sums follows; the SHA-256 of each file) and adds it to manifest.json in the folder of
// results. A job that fails is run again, up to Config.Attempts times: Prism and Beam's Python engine
// give up at the first error, while Flink and Dataflow also try again themselves. A visit writes
// only its own files, whole or not at all, and writes the same bytes each time, so attempts may
// overlap. With Config.Resume, turns that the manifest has are left out, as long as their files are there
// and whole. A worker whose processor has other instructions (kernel.Level) than the driver's stops
// with an error, since its sums could differ in the last bit.
//
// Beam's own switches are flags of the process (Config.Flags), so that a process runs one job at a time. Prism
// listens on all addresses of the machine while a job runs, and has no switch to change it.
//
// The records of a turn name its files with their checksums, and each job names the
// records it builds on by checksum: a worker that finds a file torn or changed says which.
package pipeline
