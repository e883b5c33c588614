package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/generate/genetic"
	"github.com/ehgnn/ehgnn/internal/generate/operator"
	"github.com/ehgnn/ehgnn/internal/generate/score"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// geneticFlags are the flags of ga, graph-ga and random.
type geneticFlags struct {
	calls  int
	keep   string
	reject []string
}

func (g *geneticFlags) add(f *pflag.FlagSet) {
	f.IntVar(&g.calls, "calls", 3000, "molecules that are scored, including start molecules")
	f.StringVar(&g.keep, "keep", "", "SMARTS pattern that every molecule must have")
	f.StringArrayVar(&g.reject, "reject", []string{rejectUnstable}, "patterns that no molecule may have: unstable, pains, brenk, nih, none, or SMARTS; repeated for several")
}

// geneticOnly are the names of these flags.
var geneticOnly = []string{"calls", "keep", "reject"}

// Names of lists of rejected patterns in addition to the toolkit's.
const (
	rejectUnstable = "unstable"
	rejectNone     = "none"
)

func (o *optimise) checkGenetic() error {
	if len(o.genetic.reject) > 1 && slices.Contains(o.genetic.reject, rejectNone) {
		return usage(errors.New("--reject has none and others, expected only none"))
	}
	return atLeast("calls", o.genetic.calls, 1)
}

// searchSettings and the budget determine the molecules.
type searchSettings struct {
	Search   string      `json:"search"`
	Seed     uint64      `json:"seed"`
	Scores   []scoreTerm `json:"scores"`
	Combine  string      `json:"combine,omitempty"`
	Start    string      `json:"start"` // checksum
	Keep     string      `json:"keep,omitempty"`
	Reject   []string    `json:"reject"`
	MaxAtoms int         `json:"max_atoms,omitempty"`
	Toolkit  string      `json:"toolkit"`
}

// breed runs a genetic search in a locked folder.
func (o *optimise) breed(ctx context.Context, scores *score.Set, thresholds map[string]float64) error {
	maker, err := o.maker()
	if err != nil {
		return err
	}
	name := cmp.Or(o.start, "zinc")
	start, err := o.list("start", name)
	if err != nil {
		return err
	}
	checksum := fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(start, "\n"))))
	r := rng.Stream(o.app.seed, "start")
	r.Shuffle(len(start), func(i, j int) { start[i], start[j] = start[j], start[i] })
	config := genetic.NewConfig()
	config.Search, config.Calls, config.Seed, config.Threads = o.search, o.genetic.calls, o.app.seed, o.app.threads
	if err := o.usable(ctx, maker, start, config.Start); err != nil {
		return err
	}
	files, err := openOptimiseFiles(o.out, searchSettings{Search: o.search, Seed: o.app.seed, Scores: o.scores.terms, Combine: o.scores.combination(), Start: checksum, Keep: o.genetic.keep, Reject: o.genetic.reject, MaxAtoms: o.maxAtoms, Toolkit: o.toolkit.Version()}, scores)
	if err != nil {
		return err
	}
	defer files.close()
	progress := o.app.progress(config.Calls, "call")
	t := genetic.Task{Maker: maker, Objective: scores, Start: start, Journal: filepath.Join(o.out, "rounds.jsonl"), OnRound: func(p genetic.Progress) {
		progress.At(p.Calls, config.Calls, fmt.Sprintf("best %.4f, mean of 10 %.4f", p.Best, p.Mean10))
	}}
	defer o.app.finishing(func() string { return "the round under way" })()
	result, err := genetic.Run(ctx, t, config)
	progress.Finish()
	switch {
	case ctx.Err() != nil:
		o.app.tell("ehgnn: finished work is kept in %s; the same command continues it", o.out)
		return ctx.Err()
	case err != nil:
		return failure(err)
	}
	found, err := o.describe(ctx, result, scores, thresholds)
	if err != nil {
		return failure(err)
	}
	if err := found.write(o.out, o.toolkit); err != nil {
		return failure(err)
	}
	return o.app.emit(found.summary, func(w io.Writer) error {
		_, err := io.WriteString(w, found.text())
		return err
	})
}

// maker returns the operator with the patterns of the flags.
func (o *optimise) maker() (*operator.Maker, error) {
	m := &operator.Maker{Toolkit: o.toolkit, Atoms: float64(o.maxAtoms)}
	var reject []string
	for _, name := range o.genetic.reject {
		switch {
		case name == rejectNone:
		case name == rejectUnstable:
			reject = append(reject, operator.Unstable()...)
		case slices.Contains(chem.Catalogues(), name):
			screen, err := o.toolkit.Catalogue(name)
			if err != nil {
				return nil, failure(err)
			}
			m.Screens = append(m.Screens, screen)
		default:
			reject = append(reject, name)
		}
	}
	var err error
	if len(reject) > 0 {
		if m.Reject, err = o.toolkit.Patterns(reject...); err != nil {
			return nil, usage(fmt.Errorf("--reject: %w", err))
		}
	}
	if o.genetic.keep != "" {
		if m.Keep, err = o.toolkit.Patterns(o.genetic.keep); err != nil {
			return nil, usage(fmt.Errorf("--keep: %w", err))
		}
	}
	return m, nil
}

// usable returns how many of the first n start molecules can be used, and allows the charges of molecules named
// by --start. If none can be used, it looks for one among the others.
func (o *optimise) usable(ctx context.Context, m *operator.Maker, start []string, n int) error {
	used, looked := 0, 0
	var first error
	for i, text := range start {
		if i >= n && used > 0 || ctx.Err() != nil {
			break
		}
		looked++
		read, err := m.Read(text)
		if err != nil {
			if first == nil {
				first = fmt.Errorf("molecule %d, %s: %w", i+1, text, err)
			}
			continue
		}
		used++
		if o.start != "" {
			m.Charges = max(m.Charges, read.Charges)
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case first == nil && used == 0:
		return usage(errors.New("--start has no molecule"))
	case used == 0:
		return usage(fmt.Errorf("--start: none of %d molecules can be used; %w", looked, first))
	case first != nil && o.start != "":
		o.app.log.Warn("molecules to begin with are left out", "count", looked-used, "first", first)
	}
	return nil
}
