package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data/nodelink"
	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/internal/plain"
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
			line.Error = plain.Message("ehgnn", err)
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
	g, err := m.Document(d)
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

// stdin is the standard input of the process.
func (a *app) stdin() io.Reader {
	if a.Stdin == nil {
		return strings.NewReader("")
	}
	return a.Stdin
}
