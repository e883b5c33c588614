package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data/nodelink"
	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/task"
)

// streamed is the line that predict - writes for each document or SMILES.
type streamed struct {
	Document int    `json:"document"`
	Graph    string `json:"graph,omitempty"` // name of the graph in the document, or the SMILES
	Error    string `json:"error,omitempty"` // why a SMILES is no molecule
	ehgnn.Prediction
}

// stream predicts for node-link JSON or, with a run on molecules, SMILES on standard input.
// It writes a line of JSON for each document or SMILES before it reads the next.
func (u *useFlags) stream(a *app, cmd *cobra.Command, dir string) error {
	for _, name := range []string{"out", "format", "name", "nodes", "context", "split"} {
		if cmd.Flags().Changed(name) {
			return usage(fmt.Errorf("--%s does not apply to predict -, which reads node-link JSON or SMILES and writes lines of JSON", name))
		}
	}
	m, err := ehgnn.Open(cmd.Context(), dir, ehgnn.Options{Threads: a.threads, Parallel: 1})
	if err != nil {
		return usage(err)
	}
	out := bufio.NewWriter(a.Stdout)
	enc := json.NewEncoder(out)
	in := bufio.NewReader(a.stdin())
	if m.TakesSMILES() && !beginsJSON(in) {
		return u.molecules(a, cmd, m, in, func(line *streamed) error {
			if err := enc.Encode(line); err != nil {
				return err
			}
			return out.Flush()
		})
	}
	for d, err := range nodelink.Documents(in, "standard input", nodelink.Options{MaxMemory: int64(u.memory)}) {
		if err != nil {
			return usage(err)
		}
		line, err := predictDocument(cmd, m, d)
		if err != nil {
			return failure(err)
		}
		if err := enc.Encode(line); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return cmd.Context().Err()
}

// beginsJSON reports whether what is not blank begins with an object or a list of objects, or
// is packed; a SMILES may begin with a bracket. It reads no further than that.
func beginsJSON(in *bufio.Reader) bool {
	list := false
	for n := 1; n <= in.Size(); n++ {
		head, err := in.Peek(n)
		if err != nil {
			return true // there is nothing, or an error that reading meets again
		}
		switch c := head[n-1]; {
		case strings.IndexByte(" \t\r\n\xef\xbb\xbf", c) >= 0: // or the mark of a text's order
		case c == '[' && !list:
			list = true
		default:
			return c == '{' || c == ']' && list || c == 0x1f
		}
	}
	return false
}

// molecules predicts for SMILES, one a line; blank lines are left out.
func (u *useFlags) molecules(a *app, cmd *cobra.Command, m *ehgnn.Model, in io.Reader, write func(*streamed) error) error {
	tk := a.toolkit()
	if tk == nil {
		return usage(chem.ErrNoToolkit)
	}
	lines := bufio.NewScanner(in)
	n := 1
	for ; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		line := &streamed{Document: n, Graph: text}
		g, err := m.Molecule(tk, text)
		switch {
		case err != nil && u.invalid == smiles.Fail:
			return usage(fmt.Errorf("standard input:%d: %w", n, err))
		case err != nil && u.invalid == smiles.Skip:
			continue
		case err != nil:
			line.Error = message(err)
		default:
			ps, err := m.Predict(cmd.Context(), g)
			if err != nil {
				return err
			}
			line.Prediction = ps[0]
		}
		if err := write(line); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return usage(fmt.Errorf("standard input:%d: %w", n, err))
	}
	return cmd.Context().Err()
}

func predictDocument(cmd *cobra.Command, m *ehgnn.Model, d *nodelink.Document) (*streamed, error) {
	g, err := graphOf(m.Schema(), d)
	if err != nil {
		return nil, usage(fmt.Errorf("standard input:%d: document %d: %w", d.Line, d.Number, err))
	}
	ps, err := m.Predict(cmd.Context(), g)
	if err != nil {
		if cmd.Context().Err() != nil {
			return nil, err
		}
		return nil, usage(fmt.Errorf("standard input:%d: document %d: %w", d.Line, d.Number, err))
	}
	line := &streamed{Document: d.Number, Prediction: ps[0]}
	for _, at := range d.Graph {
		if (at.Name == "id" || at.Name == "name") && line.Graph == "" {
			line.Graph = at.Value.Text
		}
	}
	return line, nil
}

// graphOf takes the graph, with the attributes that the run reads, from a document.
func graphOf(s ehgnn.Schema, d *nodelink.Document) (*ehgnn.Graph, error) {
	if d.Directed != s.Directed {
		return nil, fmt.Errorf("directed is %v, which the graphs of the training were not", d.Directed)
	}
	g := &ehgnn.Graph{NumNodes: len(d.Nodes), Ends: make([]int32, 0, 2*len(d.Edges))}
	for _, e := range d.Edges {
		g.Ends = append(g.Ends, e.Source, e.Target)
	}
	var err error
	g.Node, err = columnsOf("node", s.Nodes, len(d.Nodes), func(i int) []nodelink.Attribute { return d.Nodes[i].Attributes })
	if err == nil {
		g.Edge, err = columnsOf("edge", s.Edges, len(d.Edges), func(i int) []nodelink.Attribute { return d.Edges[i].Attributes })
	}
	return g, err
}

// columnsOf collects the attributes of n items that are in the schema; others are ignored.
func columnsOf(of string, fields []ehgnn.Field, n int, attributes func(i int) []nodelink.Attribute) (ehgnn.Columns, error) {
	numbers, texts := map[string]ehgnn.Numbers{}, map[string]ehgnn.Strings{}
	out := ehgnn.Columns{}
	for _, f := range fields {
		switch f.Kind {
		case task.KindNumber, task.KindCode:
			column := make(ehgnn.Numbers, n)
			for i := range column {
				column[i] = math.NaN()
			}
			numbers[f.Name], out[f.Name] = column, column
		case task.KindCategory:
			column := make(ehgnn.Strings, n)
			texts[f.Name], out[f.Name] = column, column
		}
	}
	for i := range n {
		for _, at := range attributes(i) {
			v := at.Value
			switch {
			case v.Kind == nodelink.Null:
			case texts[at.Name] != nil && v.Kind != nodelink.List && v.Kind != nodelink.Nested:
				texts[at.Name][i] = v.Text
			case numbers[at.Name] != nil && v.Kind == nodelink.Number:
				x, err := strconv.ParseFloat(v.Text, 64)
				if err != nil {
					return nil, fmt.Errorf("attribute %q of %s %d is %s, expected a number", at.Name, of, i, v.Text)
				}
				numbers[at.Name][i] = x
			case texts[at.Name] != nil || numbers[at.Name] != nil:
				return nil, fmt.Errorf("attribute %q of %s %d is %s, expected what the training had", at.Name, of, i, v.Kind)
			case v.Kind == nodelink.List: // a list has the columns NAME_0, NAME_1, ...
				for k, x := range v.List {
					if column := numbers[fmt.Sprintf("%s_%d", at.Name, k)]; column != nil {
						column[i] = x
					}
				}
			}
		}
	}
	return out, nil
}

// stdin is the standard input of the process.
func (a *app) stdin() io.Reader {
	if a.Stdin == nil {
		return strings.NewReader("")
	}
	return a.Stdin
}
