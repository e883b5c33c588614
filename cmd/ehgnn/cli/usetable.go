package cli

import (
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// use makes a table from a run and its data, whole or in pieces.
type use struct {
	whole  func(*session.Session) (*report.Table, error)
	pieces func(*session.Stream) iter.Seq2[*report.Table, error]
}

// table writes the table that use makes: in pieces for a whole table of molecules, unless the
// output needs the number of rows first.
func (u *useFlags) table(a *app, cmd *cobra.Command, args []string, use use) error {
	u.rowsAlone = !u.rank.why && (u.level == "" || u.level == string(settings.Edges))
	o, err := u.options(a, args)
	if err != nil {
		return err
	}
	if u.split == source.PartAll && !strings.HasSuffix(strings.ToLower(u.out), ".npy") {
		r, err := u.load(a, args[0])
		if err != nil {
			return err
		}
		s, err := r.Stream(o)
		if err != nil {
			return usage(err)
		}
		if s != nil {
			defer s.Close()
			of, err := u.rank.pieces(&r.Settings, use.pieces(s))
			if err != nil {
				return failure(err)
			}
			return u.pieces(a, s, of)
		}
	}
	s, err := u.open(a, cmd, args)
	if err != nil {
		return err
	}
	t, err := use.whole(s)
	if err != nil {
		return failure(err)
	}
	u.remark(a, s)
	return u.write(a, t)
}

// pieces writes a table in pieces and lists the rows that were not molecules.
func (u *useFlags) pieces(a *app, s *session.Stream, of iter.Seq2[*report.Table, error]) error {
	w := report.NewTableWriter(a.Stdout, a.json)
	if u.out != "" {
		var err error
		if w, err = report.CreateTable(u.out); err != nil {
			return output(err)
		}
	}
	defer w.Abort()
	for t, err := range of {
		if err != nil {
			return failure(err)
		}
		if u.safe {
			t = t.SpreadsheetSafe()
		}
		if err := w.Write(t); err != nil {
			return err
		}
	}
	if s.Invalid == s.Rows && w.Rows() == 0 {
		return usage(fmt.Errorf("no row of the table is a molecule: %d of %d are none", s.Invalid, s.Rows))
	}
	if err := w.Close(); err != nil {
		return err
	}
	for _, n := range s.Notes {
		a.log.Warn(n)
	}
	if s.Invalid > len(s.Notes) {
		a.log.Warn("rows that are no molecule, or have lists that do not fit", "rows", s.Invalid, "of", s.Rows)
	}
	if n := s.Extended(); n > 0 {
		a.log.Warn(smiles.NoteExtended(n))
	}
	if u.out == "" {
		return nil
	}
	return a.emitFiles(map[string]any{"out": u.out, "rows": w.Rows(), "invalid": s.Invalid}, func(out io.Writer) error {
		return writeLines(out, fmt.Sprintf("%d rows written to %s", w.Rows(), u.out))
	})
}

// write writes a table to --out or, without it, to standard output as CSV or, with --json, as JSON.
func (u *useFlags) write(a *app, t *report.Table) error {
	if u.safe {
		t = t.SpreadsheetSafe()
	}
	if u.out != "" {
		if err := report.WriteTable(u.out, t); err != nil {
			return output(err)
		}
		return a.emitFiles(map[string]any{"out": u.out, "rows": t.Rows()}, func(w io.Writer) error {
			return writeLines(w, fmt.Sprintf("%d rows written to %s", t.Rows(), u.out))
		})
	}
	if a.json {
		return a.emit(t, nil)
	}
	return report.WriteCSV(a.Stdout, t)
}
