// Package serve answers HTTP requests with the predictions of trained runs.
//
// # A request
//
//	guard      host, origin and token; a request id, the log and the counters
//	read       the body, inflated where it is packed, within --max-body
//	decode     graphs, checked against the run's schema; limits hold before memory is taken
//	queue      what waits is taken by the next free worker, up to 32 graphs of one run at a time
//	reply      JSON, NDJSON, CSV or Parquet
//
// What requests hold together is charged to a ledger before memory is taken, stage by stage: the body,
// decoding, the encoded graphs, their predictions. A request for which there is no room is refused.
// Replies are sent piece by piece (sink), so they hold no memory.
//
// A body is checked whole before any of it is queued, so that what a worker takes can be
// computed. A graph that is not as the schema says is a Problem (RFC 9457) with a pointer to
// the value, what was expected and what was found. Input never leads to status 500.
//
// # Hostile graphs
//
// Package encoding/json would build values before anything could count them, so graphs are
// decoded here. A graph is read twice: the first time its members are found and counted, and
// held against the limits and against what the model would take for it (ehgnn.Model.Cost); the
// second time slices of the right size are filled. Decoding takes at most four times the body
// and 1 MiB, and what the schema wants for nodes and edges of a node-link document that leave
// attributes out.
//
// # Batches
//
// There is no timer. A worker that is free takes what waits, which is one graph while there is
// little to do and many when there is much; so a lone request waits for nobody, and throughput
// grows with the load. A request with many graphs is taken 32 at a time, in turn with others.
// If graphs together do not go through the model, they are computed one by one, and those that
// can be are answered. What a caller who has gone was waiting for is not computed.
//
// # Runs
//
// A Run holds what its folder held when it was last read, behind an atomic pointer. Requests
// keep what they began with. New weights are loaded aside, and take the place of the old ones
// if they have the same task and schema and the run's example gives finite numbers.
//
// # The end
//
// No request that could be sent is lost. A kernel resets what waits in the queue of a listener that
// is closed, so first it is told to drop what asks for new connections (on Linux, by a filter on the
// socket), then the queue is emptied, then the listener is closed. Answers say Connection: close
// from the first sign of the end on. A connection that was answered before may have its next request
// on its way, so it is closed only after a second of silence; http.Server.Shutdown would close it at once.
package serve
