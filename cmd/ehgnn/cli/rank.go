package cli

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// rankFlags are the flags of predict for the order, number and reasons of rows.
type rankFlags struct {
	sort      sortFlag
	top       int
	why, keep bool
}

// sortFlag is --sort, whose value is optional: the column to sort by; session.SortUsual for the default column, empty for no sorting.
type sortFlag struct {
	by   string
	bare bool       // the flag was given without "="
	read func() int // number of arguments read so far
	at   int        // number of arguments read before the flag
}

func (s *sortFlag) String() string { return s.by }
func (s *sortFlag) Type() string   { return "string" }

func (s *sortFlag) Set(text string) error {
	s.by, s.bare, s.at = text, text == session.SortUsual, s.read()
	return nil
}

// removeValue returns the arguments without the value of --sort, if it follows the flag without "=". This is the argument
// after the flag if there is one argument too many for the command.
func (s *sortFlag) removeValue(args []string, most int) []string {
	if len(args) != most+1 || !s.bare || s.at >= len(args) {
		return args
	}
	s.by = args[s.at]
	return append(args[:s.at:s.at], args[s.at+1:]...)
}

// rankNames are the names of the flags.
var rankNames = []string{"sort", "top", "why", "keep-columns"}

func (r *rankFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	r.sort.read = f.NArg
	f.Var(&r.sort, "sort", "sort rows by the probability of the rarer class or by the number, largest first; --sort NAME selects the class, label or number")
	f.Lookup("sort").NoOptDefVal = session.SortUsual
	f.IntVar(&r.top, "top", 0, "write only so many first rows, in the order of --sort")
	f.BoolVar(&r.why, "why", false, "add a column why with the three columns that contribute most to each prediction (edges, model auto)")
	f.BoolVar(&r.keep, "keep-columns", true, "keep the columns of DATA")
}

func (r *rankFlags) check() error {
	if r.top < 0 {
		return atLeast("top", r.top, 1)
	}
	return nil
}

// column is the column of predictions to rank by; empty for none.
func (r *rankFlags) column(s *settings.Settings) (string, error) {
	if !r.isSet() {
		return "", nil
	}
	return session.RankColumn(s, r.sort.by)
}

// predictions returns the predictions of a session, with the requested order and columns.
func (r *rankFlags) predictions(ctx context.Context, s *session.Session, part string) (*report.Table, error) {
	by, err := r.column(&s.Settings)
	if err != nil {
		return nil, err
	}
	p, err := s.Predictions(ctx, part)
	if err != nil {
		return nil, err
	}
	if by != "" {
		p.Rank(by, r.top)
	}
	if r.why {
		why, err := explain.Why(s, ctx, p)
		if err != nil {
			return nil, err
		}
		p.Columns = append(p.Columns, why)
	}
	return p.Table, nil
}

// pieces ranks a table that comes in pieces. With --top it keeps only so many rows in memory.
func (r *rankFlags) pieces(s *settings.Settings, of iter.Seq2[*report.Table, error]) (iter.Seq2[*report.Table, error], error) {
	if r.why {
		return nil, settings.Misuse("--why is for tables of edges, and DATA is a table of molecules; ehgnn explain shows what a prediction depends on")
	}
	by, err := r.column(s)
	if err != nil || by == "" {
		return of, err
	}
	return func(yield func(*report.Table, error) bool) {
		var kept *report.Table
		for t, err := range of {
			if err != nil {
				yield(nil, err)
				return
			}
			if kept == nil {
				kept = t
			} else {
				kept.Append(t)
			}
			if r.top > 0 {
				kept = kept.Pick(session.Ranked(kept, by, r.top))
			}
		}
		if kept != nil {
			yield(kept.Pick(session.Ranked(kept, by, r.top)), nil)
		}
	}, nil
}
