package visit

import (
	"github.com/ehgnn/ehgnn/scale/store"
)

// Program is a trained model as turns of parts and blocks, from turn 0 to Turns()-1. It is
// safe for concurrent use.
type Program interface {
	// Turns is the number of turns, 1 or more.
	Turns() int
	// NodeWidth is how many numbers Part gives for a node in a turn; 0 for none, where the turn
	// of the part is left out.
	NodeWidth(turn int) int
	// StateWidth is the width of an edge's state after a turn; 0 where nothing has to be kept.
	StateWidth(turn int) int
	// MessageWidth is the width of what an edge says to its ends after a turn; 0 after the last.
	MessageWidth(turn int) int
	// MessageIsState reports whether the message of a turn is the state, so that one of them is kept.
	MessageIsState(turn int) bool
	// OutputWidth and VectorWidth are those of the results of the last turn.
	OutputWidth() int
	VectorWidth() int
	// NodeVectors is the width of the vectors of nodes, with which their rows of the last turn
	// begin; 0 where the model learns none.
	NodeVectors() int
	// Part computes the rows [n,NodeWidth] of the nodes of a part. last are its rows of the turn
	// before, nil where that one had none, and sums what blocks said since; both are nil in turn
	// 0. The rows are in the memory of to where that is large enough.
	Part(turn int, p *store.Part, last []float32, sums *Total, to []float32) ([]float32, error)
	// Block computes a turn of a block. nodes are the rows of its distinct nodes, state what it
	// gave in the turn before, nil in turn 0. Results are in the memory of to where that is large
	// enough; state may be to.State.
	Block(turn int, b *store.Block, seen Seen, nodes, state []float32, to *Result) error
}

// Seen says which parts of a split a visit sees, a bit for each of store.InTrain, ...
type Seen uint8

// All sees every edge.
const All Seen = 0xff

// Has reports whether edge e of a block is seen.
func (s Seen) Has(b *store.Block, e int) bool { return b.Part == nil || s>>b.Part[e]&1 == 1 }

// Result is what a turn of a block gives. Rows of edges that are not seen are zero.
type Result struct {
	State   []float32 // [m,StateWidth]
	Message []float32 // [m,MessageWidth], the same for both ends; empty where it is the state
	// Greatest is the greatest magnitude in the messages.
	Greatest float32
	// Output [m,OutputWidth] are logits or numbers, and Vector [m,VectorWidth] the vectors of
	// edges; of the last turn.
	Output, Vector []float32
}

// Says are the messages of a turn.
func (r *Result) Says(p Program, turn int) []float32 {
	if p.MessageIsState(turn) {
		return r.State
	}
	return r.Message
}
