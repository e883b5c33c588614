package store

import (
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
)

// Manifest is what a store holds, as manifest.json.
type Manifest struct {
	Version  int    `json:"version"`
	Checksum string `json:"checksum"` // of the tables that were packed, as data.Info.Checksum
	Directed bool   `json:"directed"`
	Nodes    int64  `json:"nodes"`
	Edges    int64  `json:"edges"`
	// BlockEdges is how many edges a block has; the last may have fewer.
	BlockEdges int   `json:"block_edges"`
	Blocks     int   `json:"blocks"`
	Parts      []int `json:"parts"` // number of nodes of each
	// Met is the number of distinct nodes of a block, summed over blocks: how many rows travel
	// between blocks and parts.
	Met int64 `json:"met"`
	// MostEntries is the largest number of edge ends at one node, a self-loop counting twice.
	MostEntries int64 `json:"most_entries"`
	// Encoder is how features were encoded: that of a run, or one fitted on the training edges.
	Encoder *tables.Encoder `json:"encoder"`
	// EdgeID is the column that named the edges in the tables; empty where numbers alone do.
	EdgeID string `json:"edge_id,omitempty"`
	// Labels says whether edges have labels, Split whether they have parts.
	Labels bool             `json:"labels"`
	Split  *Split           `json:"split,omitempty"`
	Files  map[string]*File `json:"files"` // by path within the store, with slashes
}

// Split says how edges were divided.
type Split struct {
	Kind  string   `json:"kind"`  // column, random, time
	Edges [3]int64 `json:"edges"` // of training, validation, test
}

// File is a file of a store.
type File struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Parts of a split as a block has them.
const (
	InTrain = iota
	InValid
	InTest
	InNone // in no part: seen by all, scored by predict alone
)

// Block is some edges in the order of the input. It is read-only.
type Block struct {
	Index int
	First int64 // number of the first edge
	// Ends are two places of each edge, in the lists of distinct nodes below.
	Ends []int32
	// The nodes of part p are places PartPtr[p] to PartPtr[p+1]; Rank is the place of each in
	// its part, rising within a part.
	PartPtr []int32
	Rank    []int32
	Edge    graph.Features // a row per edge
	// Class is the class of each edge, graph.NoLabel where unknown; nil where labels are numbers
	// or there are none. Number is likewise, NaN where unknown.
	Class  []int32
	Number []float32
	// Part is InTrain, ... of each edge; nil where the store has no split.
	Part []uint8
}

// NumEdges is the number of edges of the block.
func (b *Block) NumEdges() int { return len(b.Ends) / 2 }

// NumNodes is the number of distinct nodes of the block.
func (b *Block) NumNodes() int { return len(b.Rank) }

// Names are what the nodes and the edges of a block are called.
type Names struct {
	Nodes []string // ids of the distinct nodes, in their order there
	Edges []string // what Manifest.EdgeID has of each edge; nil without it
}

// Part is the nodes of one part, sorted by id. It is read-only.
type Part struct {
	Index int
	IDs   []string
	Node  graph.Features // a row per node
}
