package smiles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// made is the result of reading a molecule.
type made struct {
	graph       *graph.Graph
	smiles, key string
}

// make returns the graph of a molecule, its SMILES if the file has a mol block, and its key.
func (r *Reader) make(m chem.Molecule) (out made, err error) {
	switch {
	case r.blocks:
		if out.smiles, err = m.SMILES(); err != nil {
			return out, err
		}
		out.key = out.smiles
	case r.o.Same:
		out.key = keyOf(m)
	}
	out.graph, err = graphOf(m, r.o.Hydrogens)
	return out, err
}

// blockToolkit parses mol blocks instead of SMILES.
type blockToolkit struct{ chem.Toolkit }

func (t blockToolkit) Parse(block string) (chem.Molecule, error) { return t.ParseBlock(block) }

// Extended counts the molecules so far that had an extension (CXSMILES) after their SMILES.
func (r *Reader) Extended() int { return r.extended }

// HasExtension reports whether a text has an extension (CXSMILES) after its SMILES.
func HasExtension(text string) bool {
	_, extension, _ := chem.Cut(text)
	return extension != ""
}

// NoteExtended says what was done with the extensions after n SMILES.
func NoteExtended(n int) string {
	return fmt.Sprintf("%s an extension (CXSMILES), which RDKit reads: radicals, coordinate bonds and wedged bonds change the molecule; labels, coordinates and groups of stereo centres are no features", counted(n, "row has", "rows have"))
}

// featurise makes the graphs of a batch on all threads.
func (r *Reader) featurise(ctx context.Context, batch []Molecule) error {
	list := lists.Map(batch, func(m Molecule) string { return m.SMILES })
	tk := r.o.Toolkit
	if r.blocks {
		tk = blockToolkit{tk}
	}
	results, err := chem.Map(ctx, tk, r.o.Threads, list, r.make)
	if err != nil {
		return err
	}
	for i := range batch {
		m := &batch[i]
		if err := results[i].Err; err != nil {
			if m.Reason = reason(m.SMILES, err); r.blocks {
				m.SMILES = "" // it was a mol block
			}
			if r.o.OnInvalid == Fail {
				return r.failed(m)
			}
			continue
		}
		made := results[i].Value
		m.Graph, m.key = made.graph, cmp.Or(made.key, m.SMILES)
		if r.blocks {
			m.SMILES = made.smiles
		} else if HasExtension(m.SMILES) {
			r.extended++
		}
		size := len(m.Graph.Node.Code)*4 + len(m.Graph.Ends)*bondBytes/2
		if r.o.Edges == data.Directed {
			size += len(m.Graph.Ends) * bondBytes / 2
		}
		if err := r.charge(int64(size), m.line); err != nil {
			return err
		}
		if !r.o.Fixed {
			continue // the labels are not known yet
		}
		if err := r.label(m); err != nil {
			return err
		}
		if m.Graph == nil && r.o.OnInvalid == Fail {
			return r.failed(m)
		}
	}
	return nil
}

// failed returns the error for a row without a graph.
func (r *Reader) failed(m *Molecule) error {
	return &data.ParseError{File: r.file, Line: m.line, Msg: m.Fault()}
}

// reason says in one line why a text is not a molecule.
func reason(text string, err error) string {
	switch {
	case schema.IsMissing(text):
		return "no SMILES"
	case isReaction(text):
		return "a reaction, which is not read"
	}
	var e *chem.Error
	if errors.As(err, &e) {
		return strings.ToValidUTF8(e.Class.String()+": "+e.Text, "\uFFFD")
	}
	return err.Error()
}
