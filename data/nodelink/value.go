package nodelink

import (
	"math"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
)

// Kind is the type of a value or of an id.
type Kind uint8

// Kinds of values. An ID is a String, a Number or a List.
const (
	Null Kind = iota
	Number
	String
	Bool
	List   // of numbers
	Texts  // a list of texts and whole numbers
	Nested // an object, or another list
)

func (k Kind) String() string {
	return [...]string{"null", "a number", "a string", "a truth value", "a list", "a list of texts", "a nested value"}[k]
}

// Value is the value of an attribute.
type Value struct {
	Kind Kind
	// Text is a string, the notation of a number or boolean in the document, or a list of texts as
	// schema.ListText writes it.
	Text string
	// List holds the numbers of a list, NaN for null.
	List []float64
}

// Attribute is a named value of a graph, a node or an edge.
type Attribute struct {
	Name  string
	Value Value
}

// ID identifies a node in a document. Nodes with equal ids are the same node.
type ID struct {
	Kind Kind
	// Text is a string unchanged, or a number or a list as JSON in canonical form.
	Text string
}

// Node is a node of a document.
type Node struct {
	ID         ID
	Attributes []Attribute
	Line       int // where the node ends
}

// Edge is an edge of a document.
type Edge struct {
	Source, Target int32 // positions in Document.Nodes
	Attributes     []Attribute
	Line           int // where the edge ends
}

// Document is one graph.
type Document struct {
	Number     int // in its text, counted from 1
	Line       int // where the document begins
	Directed   bool
	Multigraph bool
	Graph      []Attribute
	Nodes      []Node
	Edges      []Edge
}

// canonical writes equal numbers in the same way: as an integer if it is one.
func canonical(text string) string {
	if !strings.ContainsAny(text, ".eE") {
		if text == "-0" {
			return "0"
		}
		return text // also beyond the range of Go's integers
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	return number(v)
}

// number writes a number in JSON.
func number(v float64) string {
	const exact = 1 << 53
	if v == math.Trunc(v) && math.Abs(v) <= exact {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// shown returns a value as an error quotes it.
func (v Value) shown() string {
	switch {
	case v.Kind == String:
		return schema.Shown(v.Text)
	case v.Kind == Number || v.Kind == Bool:
		return v.Text
	}
	return v.Kind.String()
}

// shown returns an id as an error quotes it.
func (id ID) shown() string {
	if id.Kind == String {
		return schema.Shown(id.Text)
	}
	return id.Text
}
