package visit

import (
	"github.com/ehgnn/ehgnn/scale/store"
)

// Program is a trained model as turns (supersteps) of parts and blocks, from turn 0 to Turns()-1.
// It is safe for concurrent use.
type Program interface {
	// Turns returns the number of turns, at least 1.
	Turns() int
	// NodeWidth returns the width of the rows that Part computes for nodes in a turn. If it is 0,
	// the turn has no visits of parts.
	NodeWidth(turn int) int
	// StateWidth returns the width of an edge's state after a turn; 0 if there is no state to
	// store.
	StateWidth(turn int) int
	// MessageWidth returns the width of the message of an edge to its ends after a turn; 0 after
	// the last turn.
	MessageWidth(turn int) int
	// MessageIsState reports whether the message of a turn equals the state, so that only one of
	// them is stored.
	MessageIsState(turn int) bool
	// OutputWidth and VectorWidth return the widths of the results of the last turn.
	OutputWidth() int
	VectorWidth() int
	// NodeVectors returns the width of the vectors of nodes, which are the first columns of their
	// rows in the last turn; 0 if the model computes none.
	NodeVectors() int
	// Part computes the rows [n,NodeWidth] of the nodes of a part. last are the part's rows of the
	// previous turn, nil if it had none. sums are the messages of blocks since then. Both are nil
	// in turn 0. The rows use the memory of to if it is large enough.
	Part(turn int, p *store.Part, last []float32, sums *Total, to []float32) ([]float32, error)
	// Block computes a turn of a block. nodes are the rows of its distinct nodes. state is its
	// state after the previous turn, nil in turn 0. The results use the memory of to if it is large
	// enough. state may be to.State.
	Block(turn int, b *store.Block, seen Seen, nodes, state []float32, to *Result) error
}

// Seen is the set of parts of a split that a visit sees, with a bit for each of store.InTrain, ...
type Seen uint8

// All is the set in which every edge is seen.
const All Seen = 0xff

// Has reports whether edge e of a block is seen.
func (s Seen) Has(b *store.Block, e int) bool { return b.Part == nil || s>>b.Part[e]&1 == 1 }

// Result has the results of a turn of a block. Rows of edges that are not seen are zero.
type Result struct {
	State   []float32 // [m,StateWidth]
	Message []float32 // [m,MessageWidth], the same for both ends; empty if it equals the state
	// Greatest is the greatest magnitude in the messages.
	Greatest float32
	// Output [m,OutputWidth] has logits or numbers, and Vector [m,VectorWidth] has vectors of
	// edges. Only the last turn sets them.
	Output, Vector []float32
}

// Messages returns the messages of a turn.
func (r *Result) Messages(p Program, turn int) []float32 {
	if p.MessageIsState(turn) {
		return r.State
	}
	return r.Message
}
