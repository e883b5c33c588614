package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/nodelink"
	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/data/tablefile"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/sanitize"
)

// streamed is the line that predict - writes for each document or SMILES.
type streamed struct {
	Document int    `json:"document"`
	Graph    string `json:"graph,omitempty"` // name of the graph in the document, or the SMILES
	Error    string `json:"error,omitempty"` // error of a document, or why a SMILES is not a molecule
	ehgnn.Prediction
	// Nodes and Edges replace those of the prediction, in the order of --sort.
	Nodes   []rankedItem   `json:"nodes,omitempty"`
	Edges   []rankedItem   `json:"edges,omitempty"`
	Unseen  []ehgnn.Unseen `json:"unseen,omitempty"`
	Remarks []string       `json:"remarks,omitempty"`
}

// stream predicts for node-link JSON or, with a run on molecules, SMILES on standard input.
func (u *useFlags) stream(a *app, cmd *cobra.Command, dir string, in *bufio.Reader) error {
	if err := u.lines(cmd, "predict -", "format"); err != nil {
		return err
	}
	return u.streamText(a, cmd, dir, in, "standard input")
}

// streamText predicts for a text with some name.
func (u *useFlags) streamText(a *app, cmd *cobra.Command, dir string, in *bufio.Reader, name string) error {
	m, err := ehgnn.Open(cmd.Context(), dir, ehgnn.Options{Threads: a.threads, Parallel: 1, Threshold: u.threshold})
	if err != nil {
		return usage(err)
	}
	if head, _ := in.Peek(in.Buffered()); m.TakesSMILES() && !isJSON(head) { // tableName read as far as is necessary
		if u.rank.why {
			return usage(errWhyMolecules)
		}
		return u.rank.inOrder(m, a.writeLine(), func(write func(*streamed) error) error { return u.molecules(a, cmd, m, in, write) })
	}
	return u.rank.inOrder(m, a.writeLine(), func(write func(*streamed) error) error { return u.documents(a, cmd, m, in, name, write) })
}

// mostRecord is how much of standard input is examined to distinguish records from documents.
const mostRecord = 1 << 20

// beginsRecords reports whether a text starts with a JSON record. It reads no further than the end of the first object.
func beginsRecords(in *bufio.Reader) bool {
	for {
		_, err := in.Peek(in.Buffered() + 1)
		head, _ := in.Peek(in.Buffered())
		if is, cut := tablefile.BeginsRecords(head); !cut || err != nil {
			return is
		}
	}
}

// tableName is the file name for a table on standard input: JSON records or, with a run on a table or a graph file,
// other text. It is empty for documents and molecules.
func (a *app) tableName(run string, in *bufio.Reader) (string, error) {
	if beginsRecords(in) {
		return "standard-input.jsonl", nil
	}
	r, err := a.runs.load(run)
	if head, _ := in.Peek(in.Buffered()); err != nil || !slices.Contains(tables.Formats(), r.Settings.Data.Format) || isJSON(head) {
		return "", err
	}
	if d := r.Settings.Data; d.Format != tables.Format || strings.HasSuffix(strings.ToLower(d.Path), ".txt") {
		return "standard-input.txt", nil // values may be separated by blanks
	}
	return "standard-input.csv", nil
}

// isJSON reports whether a text, compressed or not, is empty or starts with an object or a list of objects. The
// arguments are its first bytes.
func isJSON(head []byte) bool {
	text, err := data.NewBudget(0).NewText(bytes.NewReader(head))
	if err != nil {
		return false
	}
	begin, _ := io.ReadAll(text) // content of these bytes
	begin, list := bytes.CutPrefix(bytes.TrimSpace(begin), []byte("["))
	begin = bytes.TrimSpace(begin)
	return len(begin) == 0 || begin[0] == '{' || list && begin[0] == ']'
}

// keepTable writes standard input to a file, because a table is read twice.
func (u *useFlags) keepTable(cmd *cobra.Command, in io.Reader, name string) (path string, remove func(), err error) {
	if cmd.Flags().Changed("nodes") {
		return "", nil, usage(errors.New("--nodes does not apply to a table on standard input: expected a file of the edges, with the nodes in the same folder"))
	}
	dir, err := os.MkdirTemp("", "ehgnn-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	path = filepath.Join(dir, "input", name) // errors name the folder
	if err = errors.Join(os.Mkdir(filepath.Dir(path), 0o700), writeAll(path, in)); err != nil {
		remove()
	}
	return path, remove, err
}

// writeAll writes a file.
func writeAll(path string, in io.Reader) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, in)
	return errors.Join(err, file.Close())
}

// isDocuments reports whether DATA is a file of node-link JSON, for a run on other data. Such a
// file is read like standard input.
func (u *useFlags) isDocuments(a *app, dir, path string) (bool, error) {
	if u.format != nodelink.Format && (u.format != "" || !nodelink.Recognise(path)) {
		return false, nil
	}
	r, err := a.runs.load(dir)
	if err != nil {
		return false, err
	}
	return !slices.Contains([]string{r.Settings.Data.Source, r.Settings.Data.Format}, nodelink.Format), nil
}

// streamFile is stream for a file.
func (u *useFlags) streamFile(a *app, cmd *cobra.Command, dir, path string) error {
	if err := u.lines(cmd, "predict of node-link JSON with a run on other data"); err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return usage(err)
	}
	defer file.Close()
	return u.streamText(a, cmd, dir, bufio.NewReader(file), filepath.Base(path))
}

// lines returns an error for flags that do not apply to output of JSON lines. more are further such flags.
func (u *useFlags) lines(cmd *cobra.Command, what string, more ...string) error {
	for _, name := range append(more, "keep-columns", "out", "name", "nodes", "context", "split") {
		if cmd.Flags().Changed(name) {
			return usage(fmt.Errorf("--%s does not apply to %s, which writes lines of JSON", name, what))
		}
	}
	return nil
}

// writeLine writes each line at once.
func (a *app) writeLine() func(*streamed) error {
	out := bufio.NewWriter(a.Stdout)
	enc := json.NewEncoder(out)
	return func(line *streamed) error {
		line.fill()
		if err := enc.Encode(line); err != nil {
			return err
		}
		return out.Flush()
	}
}

// documents predicts for documents. It writes a JSON line for each document before it reads the
// next. An invalid document is reported, and the next ones are read.
func (u *useFlags) documents(a *app, cmd *cobra.Command, m *ehgnn.Model, in io.Reader, name string, write func(*streamed) error) error {
	bad, all := 0, 0
	var remarks streamRemarks
	defer remarks.end(a)
	for d, err := range nodelink.Documents(in, name, nodelink.Options{MaxMemory: int64(u.memory)}) {
		if d.Number == 0 {
			return usage(err)
		}
		var line *streamed
		if all++; err == nil {
			line, err = u.predictDocument(cmd, m, d, name)
		}
		if err == nil {
			remarks.add(a, line.Prediction)
		}
		switch {
		case cmd.Context().Err() != nil:
			return cmd.Context().Err()
		case err != nil:
			bad++
			line = &streamed{Document: d.Number, Error: sanitize.Message("ehgnn", err)}
			a.tell("ehgnn: %s", line.Error)
		}
		if err := write(line); err != nil {
			return err
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d documents of %s cannot be predicted for", bad, all, name)
	}
	return cmd.Context().Err()
}

// unpacked returns a text without its packing. It waits for no more bytes than it has.
func (u *useFlags) unpacked(in *bufio.Reader) (io.Reader, error) {
	if head, _ := in.Peek(in.Buffered()); !data.IsPacked(head) {
		return in, nil
	}
	return data.NewBudget(int64(u.memory)).NewText(in)
}

// molecules predicts for SMILES, one in each line; blank lines are skipped.
func (u *useFlags) molecules(a *app, cmd *cobra.Command, m *ehgnn.Model, in *bufio.Reader, write func(*streamed) error) error {
	tk := a.toolkit()
	if tk == nil {
		return usage(chem.ErrNoToolkit)
	}
	text, err := u.unpacked(in)
	if err != nil {
		return usage(fmt.Errorf("standard input: %w", err))
	}
	lines := bufio.NewScanner(text)
	n, extended := 1, 0
	defer func() {
		if extended > 0 {
			a.log.Warn(smiles.NoteExtended(extended))
		}
	}()
	for ; lines.Scan(); n++ {
		molecule := strings.TrimSpace(lines.Text())
		if molecule == "" {
			continue
		}
		line := &streamed{Document: n, Graph: molecule}
		g, err := m.Molecule(tk, molecule)
		switch {
		case err != nil && u.invalid == smiles.Fail:
			return usage(fmt.Errorf("standard input:%d: %w", n, err))
		case err != nil && u.invalid == smiles.Skip:
			continue
		case err != nil:
			line.Error = sanitize.Message("ehgnn", err)
		default:
			ps, err := m.Predict(cmd.Context(), g)
			if err != nil {
				return err
			}
			if line.Prediction = ps[0]; smiles.HasExtension(molecule) {
				extended++
			}
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

// predictDocument predicts for one document of a named text.
func (u *useFlags) predictDocument(cmd *cobra.Command, m *ehgnn.Model, d *nodelink.Document, name string) (*streamed, error) {
	g, err := m.Document(d)
	var ps []ehgnn.Prediction
	if err == nil {
		ps, err = m.Predict(cmd.Context(), g)
	}
	line := &streamed{Document: d.Number}
	if err == nil {
		line.Prediction = ps[0]
		err = u.rank.sortDocument(cmd.Context(), m, d, g, line)
	}
	if err != nil {
		return nil, fmt.Errorf("%s:%d: document %d: %w", name, d.Line, d.Number, err)
	}
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
