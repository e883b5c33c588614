package data

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn/graph"
)

// ErrNotTU is wrapped by WriteTU for a set that cannot be written in the TU layout.
var ErrNotTU = errors.New("the TU layout cannot hold the set")

// WriteTU writes the set in the TU layout, with edges in both directions unless they are directed.
// create is called for each file, with its name in the folder of the set ("MUTAG_A.txt",
// "10fold_idx/test_idx-1.txt"). Its writer is used until the next call.
//
// The notes say what is lost. A reader of TU files drops self-loops and parallel edges, makes
// one-hot blocks as wide as the labels that occur, and has no split except the fixed folds. Degrees
// of nodes and the constant 1 of edges, which replace missing features, are not written, because
// reading makes them again. A set with node classes, or with a graph without nodes at the end, is
// refused with an error that wraps ErrNotTU.
func (d *Dataset) WriteTU(create func(name string) (io.Writer, error)) (notes []string, err error) {
	if err := d.checkTU(); err != nil {
		return nil, fmt.Errorf("data: %s: %w: %w", d.Info.Name, ErrNotTU, err)
	}
	w := &tuWriter{d: d, create: create, name: d.Info.Name + "_"}
	for _, write := range []func(){w.structure, w.labels, w.features, w.rest} {
		write()
	}
	if w.err != nil {
		return nil, fmt.Errorf("data: %s: writing %s: %w", d.Info.Name, w.file, w.err)
	}
	return w.notes(), nil
}

// checkTU returns an error if the layout cannot hold the set.
func (d *Dataset) checkTU() error {
	i := d.Info
	switch {
	case len(d.Graphs) == 0:
		return errors.New("it has no graphs")
	case i.NumNodeClasses > 0:
		return errors.New("it has node classes, which there would be features")
	case d.Graphs[len(d.Graphs)-1].NumNodes == 0:
		return errors.New("its last graph has no nodes")
	}
	for n, g := range d.Graphs {
		if g.NumNodes == 0 && i.NumClasses == 0 && i.NumTargets == 0 {
			return fmt.Errorf("graph %d has no nodes, and nothing else shows that it is there", n)
		}
		if i.NumClasses > 0 && (g.Label < 0 || int(g.Label) >= len(i.ClassNames)) {
			return fmt.Errorf("graph %d has no class", n)
		}
		if i.HasNodeLabels && slices.Contains(g.Node.Code, -1) || i.HasEdgeLabels && slices.Contains(g.Edge.Code, -1) {
			return fmt.Errorf("graph %d has a node or an edge without a label", n)
		}
	}
	return nil
}

// tuWriter writes file after file. After an error it does nothing.
type tuWriter struct {
	d      *Dataset
	create func(string) (io.Writer, error)
	name   string // prefix of the files
	file   string // the current file
	buf    *bufio.Writer
	line   []byte
	err    error

	dropped int // self-loops and parallel edges
}

// begin ends the previous file and starts one.
func (w *tuWriter) begin(file string) {
	w.end()
	if w.err != nil {
		return
	}
	w.file = file
	var to io.Writer
	if to, w.err = w.create(file); w.err == nil {
		w.buf = bufio.NewWriter(to)
	}
}

func (w *tuWriter) end() {
	if w.buf != nil && w.err == nil {
		w.err = w.buf.Flush()
	}
	w.buf = nil
}

// put writes the line in w.line.
func (w *tuWriter) put() {
	if w.err == nil {
		_, w.err = w.buf.Write(append(w.line, '\n'))
	}
	w.line = w.line[:0]
}

// comma separates the values of a line.
func (w *tuWriter) comma() {
	if len(w.line) > 0 {
		w.line = append(w.line, ", "...)
	}
}

func (w *tuWriter) int(v int) {
	w.comma()
	w.line = strconv.AppendInt(w.line, int64(v), 10)
}

func (w *tuWriter) float(v float32) {
	w.comma()
	if v != v {
		w.line = append(w.line, "nan"...)
		return
	}
	w.line = strconv.AppendFloat(w.line, float64(v), 'g', -1, 32)
}

// structure writes the arcs and the graph of each node.
func (w *tuWriter) structure() {
	w.begin(w.name + "A.txt")
	first := 1
	for _, g := range w.d.Graphs {
		arcs := g.Arcs()
		lastU, lastV := int32(-1), int32(-1)
		for e := range arcs.NumEdges() {
			u, v := arcs.Ends[2*e], arcs.Ends[2*e+1]
			if u == v || u == lastU && v == lastV {
				w.dropped++
			}
			lastU, lastV = u, v
			w.int(first + int(u))
			w.int(first + int(v))
			w.put()
		}
		first += g.NumNodes
	}
	w.begin(w.name + "graph_indicator.txt")
	for n, g := range w.d.Graphs {
		for range g.NumNodes {
			w.int(n + 1)
			w.put()
		}
	}
}

// labels writes labels and targets of graphs.
func (w *tuWriter) labels() {
	i := w.d.Info
	if i.NumClasses > 0 {
		w.begin(w.name + "graph_labels.txt")
		for _, g := range w.d.Graphs {
			w.line = append(w.line, i.ClassNames[g.Label]...)
			w.put()
		}
	}
	if i.NumTargets > 0 {
		w.begin(w.name + "graph_attributes.txt")
		for _, g := range w.d.Graphs {
			for _, v := range g.Targets {
				w.float(v)
			}
			w.put()
		}
	}
}

// features writes labels and attributes of nodes and edges.
func (w *tuWriter) features() {
	i := w.d.Info
	node := func(g *graph.Graph) (graph.Features, int) { return g.Node, g.NumNodes }
	edge := func(g *graph.Graph) (graph.Features, int) { a := g.Arcs(); return a.Edge, a.NumEdges() }
	for _, f := range []struct {
		what          string
		of            func(*graph.Graph) (graph.Features, int)
		labels, attrs bool
		offset        []int
	}{{"node", node, i.HasNodeLabels, i.HasNodeAttributes, i.NodeLabelOffset}, {"edge", edge, i.HasEdgeLabels, i.HasEdgeAttributes, i.EdgeLabelOffset}} {
		if f.labels {
			w.begin(w.name + f.what + "_labels.txt")
			for _, g := range w.d.Graphs {
				rows, n := f.of(g)
				k := len(rows.Codes)
				for r := range n {
					for c, code := range rows.Code[r*k : (r+1)*k] {
						if c < len(f.offset) {
							code += int32(f.offset[c])
						}
						w.int(int(code))
					}
					w.put()
				}
			}
		}
		if f.attrs {
			w.begin(w.name + f.what + "_attributes.txt")
			for _, g := range w.d.Graphs {
				rows, n := f.of(g)
				for r := range n {
					for _, v := range rows.Dense[r*rows.Dim : (r+1)*rows.Dim] {
						w.float(v)
					}
					w.put()
				}
			}
		}
	}
}

// rest writes SMILES and folds.
func (w *tuWriter) rest() {
	if w.d.SMILES != nil {
		w.begin(w.name + "smiles.txt")
		for _, s := range w.d.SMILES {
			w.line = append(w.line, s...)
			w.put()
		}
	}
	if f := w.d.folds; f != nil && w.d.Info.HasFolds {
		for k := range numFolds {
			for _, part := range []struct {
				name string
				ids  []int32
			}{{"train", f.train[k]}, {"test", f.test[k]}} {
				w.begin(fmt.Sprintf("%s/%s_idx-%d.txt", foldFolder, part.name, k+1))
				for _, id := range part.ids {
					w.int(int(id))
					w.put()
				}
			}
		}
	}
	w.end()
}

// notes says what a reader will find changed.
func (w *tuWriter) notes() []string {
	var out []string
	i := w.d.Info
	if w.dropped > 0 {
		out = append(out, fmt.Sprintf("%d self-loops and parallel edges are written, and dropped when the set is read", w.dropped))
	}
	if i.HasNodeLabels && i.NodeLabelOffset == nil || i.HasEdgeLabels && i.EdgeLabelOffset == nil {
		out = append(out, "one-hot features become as wide as the values that occur")
	}
	if i.TargetNames != nil {
		out = append(out, "the names of the targets are not written")
	}
	if i.Split != nil {
		out = append(out, fmt.Sprintf("the %s split is not written", i.Split.Name))
	}
	return out
}
