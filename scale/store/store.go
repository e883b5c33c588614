package store

import (
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
)

// Manifest describes a store. It is manifest.json.
type Manifest struct {
	Version  int    `json:"version"`
	Checksum string `json:"checksum"` // of the packed tables, as in data.Info.Checksum
	Directed bool   `json:"directed"`
	Nodes    int64  `json:"nodes"`
	Edges    int64  `json:"edges"`
	// BlockEdges is the number of edges in a block. The last block may have fewer.
	BlockEdges int   `json:"block_edges"`
	Blocks     int   `json:"blocks"`
	Parts      []int `json:"parts"` // number of nodes of each part
	// Met is the number of distinct nodes of a block, summed over all blocks. This is the number of
	// rows sent between blocks and parts.
	Met int64 `json:"met"`
	// MostEntries is the largest number of edge ends at one node. A self-loop counts twice.
	MostEntries int64 `json:"most_entries"`
	// Encoder is the encoder of features: that of a run, or one fitted on the training edges.
	Encoder *tables.Encoder `json:"encoder"`
	// EdgeID is the column with the names of edges in the tables. It is empty if edges have only
	// numbers.
	EdgeID string `json:"edge_id,omitempty"`
	// Labels says whether edges have labels, Split whether edges have parts.
	Labels bool             `json:"labels"`
	Split  *Split           `json:"split,omitempty"`
	Files  map[string]*File `json:"files"` // by path in the store, with slashes
}

// Split describes how edges were split.
type Split struct {
	Kind  string   `json:"kind"`  // column, random, time
	Edges [3]int64 `json:"edges"` // numbers of training, validation and test edges
}

// File is a file of a store.
type File struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Parts of a split in a block.
const (
	InTrain = iota
	InValid
	InTest
	InNone // in no part: always seen, scored only by predict
)

// Block has some edges in the order of the input. It is read-only.
type Block struct {
	Index int
	First int64 // number of the first edge
	// Ends has two positions for each edge, in the lists of distinct nodes below.
	Ends []int32
	// The nodes of part p are at positions PartPtr[p] to PartPtr[p+1]. Rank is the rank of each
	// node in its part, ascending within a part.
	PartPtr []int32
	Rank    []int32
	Edge    graph.Features // one row per edge
	// Class is the class of each edge, graph.NoLabel if unknown. It is nil if labels are numbers or
	// there are no labels. Number is the number of each edge, NaN if unknown, and likewise may be
	// nil.
	Class  []int32
	Number []float32
	// Part is the part of each edge, InTrain, .... It is nil if the store has no split.
	Part []uint8
}

// NumEdges returns the number of edges of the block.
func (b *Block) NumEdges() int { return len(b.Ends) / 2 }

// NumNodes returns the number of distinct nodes of the block.
func (b *Block) NumNodes() int { return len(b.Rank) }

// Names are the ids of the nodes and the names of the edges of a block.
type Names struct {
	Nodes []string // ids of the distinct nodes, in the order of the block
	Edges []string // values of the column Manifest.EdgeID; nil without such a column
}

// Part has the nodes of one part, sorted by id. It is read-only.
type Part struct {
	Index int
	IDs   []string
	Node  graph.Features // one row per node
}
