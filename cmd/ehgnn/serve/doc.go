// Package serve answers HTTP requests with predictions of trained runs.
//
// # A request
//
//	guard      host, origin and token; a request id, the log and the counters
//	read       the body, decompressed if necessary, within --max-body
//	decode     graphs, checked against the run's schema; limits are checked before memory is allocated
//	queue      the next free worker takes up to 32 waiting graphs of one run
//	reply      JSON, NDJSON, CSV or Parquet
//
// The memory of all requests is charged to a ledger before it is allocated, stage by stage: the body,
// decoding, the encoded graphs, their predictions. A request for which there is no room is refused.
// Replies are sent in pieces (sink), so they need no memory.
//
// The whole body is checked before any of it is queued, so that workers get only valid graphs. A graph
// that violates the schema gives a Problem (RFC 9457) with a pointer to the value, what was expected and
// what was found. Input never causes status 500.
//
// # Hostile graphs
//
// Package encoding/json would build values before they could be counted, so graphs are decoded here. A
// graph is read twice. The first time its members are found and counted, and checked against the limits
// and the model's memory (ehgnn.Model.Cost). The second time slices of the right size are filled. Decoding
// uses at most four times the size of the body plus 1 MiB, plus the attributes that nodes and edges of a
// node-link document leave out.
//
// # Batches
//
// There is no timer. A free worker takes the waiting graphs: one graph under low load, many under high
// load. So a single request does not wait for others, and throughput grows with the load. Of a request
// with many graphs 32 are taken at a time, in turn with other requests. If the model fails on graphs
// together, they are computed one by one, and the successful ones are answered. Requests of clients that
// have gone are not computed.
//
// # Runs
//
// A Run holds the content of its folder at the last read, behind an atomic pointer. Requests keep the
// version with which they started. New weights are loaded separately. They replace the old ones if they
// have the same task and schema and if the run's example gives finite numbers.
//
// # The end
//
// Shutdown loses no request that a client could send. The kernel resets connections that wait in the queue
// of a closed listener. So first the kernel is told to drop new connection requests (on Linux, by a filter
// on the socket), then the queue is emptied, and then the listener is closed. From the start of the
// shutdown, answers have the header Connection: close. A connection that was answered before may have its
// next request on its way, so it is closed only after a second of silence; http.Server.Shutdown would
// close it at once.
package serve
