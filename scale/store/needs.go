package store

import (
	"slices"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/graph"
)

// Needs is what a layer of a model takes over a store, in bytes.
type Needs struct {
	Width int `json:"width"`
	// Memory is that of the sums, of 8 bytes, and rows, of 4, of all nodes; PartMemory that of
	// the largest part.
	Memory     int64 `json:"memory"`
	PartMemory int64 `json:"part_memory"`
	// Disk is that of two states of all edges, the one that is read and the one that is written.
	Disk int64 `json:"disk"`
	// Shuffle is the most that blocks and parts send each other: for each node of a block its rank,
	// how often it is met there and a sum one way, and a row the other.
	Shuffle int64 `json:"shuffle"`
}

// Needs is what a layer of some width takes.
func (m *Manifest) Needs(width int) Needs {
	w := int64(width)
	return Needs{Width: width, Memory: m.Nodes * w * 12, PartMemory: int64(slices.Max(m.Parts)) * w * 12, Disk: 8 * m.Edges * w, Shuffle: m.Shuffled(width, width)}
}

// Shuffled is the most bytes that blocks and parts send each other in a turn in which edges say so many
// numbers, and nodes get rows of so many.
func (m *Manifest) Shuffled(said, row int) int64 { return m.Met * int64(8+8*said+4*row) }

// Bytes is the size of the files but for the manifest.
func (m *Manifest) Bytes() int64 {
	sum := int64(0)
	for _, f := range m.Files {
		sum += f.Bytes
	}
	return sum
}

// EdgeLayout is the form of the features of edges, without rows.
func (m *Manifest) EdgeLayout() graph.Features { return schema.Layout(m.Encoder.Edges) }

// NodeLayout is the form of the features of nodes.
func (m *Manifest) NodeLayout() graph.Features { return schema.Layout(m.Encoder.Nodes) }
