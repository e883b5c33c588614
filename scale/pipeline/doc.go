// Package pipeline runs the visits of package visit as jobs of Apache Beam, on any engine that runs
// portable pipelines. It is the only package that imports Beam.
//
// # A job for each turn
//
//	Create (blocks) → Scatter ─ GroupByKey (part) → Reduce ─ GroupByKey (block) → Apply → records
//
// Scatter reads a block and the messages of its edges in the previous turn, and sends each part its
// sums (visit.Sums), which are also requests for the rows of these nodes. Reduce adds the sums,
// makes the visit of its part and answers each block. Apply makes the visit of its block and writes
// the results. If a turn has no rows of nodes, the job has only a function like Apply (Alone). An
// element is a batch of bytes for one pair of a block and a part, not a row: engines handle a few
// large elements well and many small ones badly.
//
// States of edges are never shuffled. They are files in the work folder, which all workers can
// read: a local path for engines on one machine or with a shared file system, gs:// for others. The
// run is a file there as well, and the names of folders are in the fields of the functions, so any
// process with this program can be a worker (Worker).
//
// # Turns and failures
//
// Between jobs the driver reads the records of the turn (the greatest message, from which the scale
// of the next sums follows; the SHA-256 of each file) and adds it to manifest.json in the folder of
// results. A failed job is run again, up to Config.Attempts times: Prism and Beam's Python engine
// stop at the first error, while Flink and Dataflow also retry. A visit writes only its own files,
// completely or not at all, and always the same bytes, so attempts may overlap. With Config.Resume,
// turns in the manifest are skipped if their files are there and complete. A worker whose processor
// has other instructions (kernel.Level) than the driver's returns an error, because its sums could
// differ in the last bit.
//
// Beam's own options are flags of the process (Config.Flags), so a process runs one job at a time.
// Prism listens on all addresses of the machine while a job runs, and has no option to change that.
//
// The records of a turn list its files with their checksums, and each job has the checksum of the
// records that it continues from. A worker returns an error with the name of a truncated or changed
// file.
package pipeline
