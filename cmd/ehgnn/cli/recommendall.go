package cli

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/links/run"
	"github.com/ehgnn/ehgnn/internal/report"
)

// listFile is the output file of recommend --for-all, which is written gradually.
type listFile struct {
	file *os.File
	// first is the next node to write. old has the file's lists of this node and the next one: an
	// interrupted run of the same command wrote the start of what follows.
	first int
	old   []byte
	begun bool
}

// openLists creates a file or, with resume, continues after the lists that it already has.
func openLists(path string, resume bool, nodes []string) (*listFile, error) {
	if !strings.HasSuffix(path, ".csv") {
		return nil, usage(fmt.Errorf("--for-all writes %s as it goes, expected a name ending in .csv", path))
	}
	if !resume {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			return nil, usage(fmt.Errorf("%s is there already: --resume goes on with it, or remove it", path))
		}
		return &listFile{file: f}, output(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, usage(fmt.Errorf("--resume: %w", err))
	}
	l := &listFile{file: f}
	if err := l.find(nodes); err != nil {
		f.Close()
		return nil, usage(fmt.Errorf("--resume: %s %w", path, err))
	}
	return l, nil
}

// find looks for the second last node in the file: the lists of the last node may be incomplete.
func (l *listFile) find(nodes []string) error {
	type begin struct {
		node string
		at   int64
	}
	var last [2]begin
	rows := csv.NewReader(l.file)
	rows.ReuseRecord = true
	for line := 0; ; line++ {
		at := rows.InputOffset()
		row, err := rows.Read()
		if err != nil { // the end, or an incomplete row
			break
		}
		if line > 0 && row[0] != last[1].node {
			last[0], last[1] = last[1], begin{strings.Clone(row[0]), at}
		}
	}
	from := last[0]
	if from.node == "" {
		from = last[1]
	}
	if from.node != "" {
		if l.first = slices.Index(nodes, from.node); l.first < 0 {
			return fmt.Errorf("has lists of %q, which was not requested", from.node)
		}
	}
	if _, err := l.file.Seek(from.at, io.SeekStart); err != nil {
		return err
	}
	old, err := io.ReadAll(l.file)
	if err != nil {
		return err
	}
	_, err = l.file.Seek(from.at, io.SeekStart)
	l.old, l.begun = old, from.node != ""
	return err
}

// write appends rows; the first rows come after the names of the columns.
func (l *listFile) write(t *report.Table) error {
	var b bytes.Buffer
	if err := report.WriteCSV(&b, t); err != nil {
		return err
	}
	text := b.Bytes()
	if l.begun {
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	if l.begun = true; !bytes.HasPrefix(text, l.old) {
		return usage(fmt.Errorf("%s has other lists than this command makes: the run, its data or the flags differ; remove the file to begin again", l.file.Name()))
	}
	l.old = nil
	_, err := l.file.Write(text)
	return output(err)
}

// recommendAll lists partners of all nodes of a side, in the order of their ids. Only a few thousand lists are in
// memory at a time.
func (u *linkUse) recommendAll(a *app, cmd *cobra.Command, r *run.Run, q run.Query, resume bool) (err error) {
	q.For = r.Askable(q.Sources)
	to, first, rows := report.NewTableWriter(a.Stdout, a.json), 0, 0
	write, end := to.Write, to.Close
	if u.out != "" {
		l, err := openLists(u.out, resume, q.For)
		if err != nil {
			return err
		}
		defer l.file.Close()
		write, end, first = l.write, l.file.Close, l.first
	}
	done := first
	defer a.finishing(func() string { return "the lists of the nodes at hand" })()
	p := a.progress(len(q.For), "node")
	err = r.RecommendEach(cmd.Context(), q, first, func(now int, list []run.Recommendation) error {
		if err := write(recommendations(list, q.Why)); err != nil {
			return err
		}
		done, rows = now, rows+len(list)
		p.At(done, len(q.For), "")
		return to.Flush()
	})
	p.Finish()
	if err != nil && cmd.Context().Err() != nil && u.out != "" {
		a.tell("ehgnn: %s has the lists of %d of %d nodes; the same command with --resume goes on", u.out, done, len(q.For))
	}
	if err != nil {
		return failure(err)
	}
	if err := end(); err != nil || u.out == "" {
		return output(err)
	}
	return a.emitFiles(map[string]any{"out": u.out, "nodes": len(q.For), "rows": rows}, func(w io.Writer) error {
		return writeLines(w, fmt.Sprintf("lists of %d nodes are in %s", len(q.For), u.out))
	})
}
