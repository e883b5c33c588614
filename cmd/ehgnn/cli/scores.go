package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/generate/score"
)

// scoreFlags say which scores are optimised, and how.
type scoreFlags struct {
	scores, weights, clips, thresholds, ranges []string
	combine, cache                             string
	timeout                                    time.Duration

	terms []scoreTerm // set by check
}

// scoreTerm is a requested score.
type scoreTerm struct {
	Name string `json:"name"`
	From string `json:"from,omitempty"` // the text after =
	// Column is the index of the number in a line of a program, and Columns the count of numbers in a line, if there are several.
	Column  int `json:"column,omitempty"`
	Columns int `json:"columns,omitempty"`
	// Checksum is the checksum of the list or of the trained run, set by open: the content of a path may change.
	Checksum  string      `json:"checksum,omitempty"`
	Weight    float64     `json:"weight"`
	Clip      float64     `json:"clip"`
	Threshold *float64    `json:"threshold,omitempty"`
	Range     *[2]float64 `json:"range,omitempty"`
}

// builtIn are scores that need only a name, with clips and thresholds of the paper.
var builtIn = map[string]struct{ clip, threshold float64 }{"qed": {0.7, 0.67}, "sa": {0.7, 0.67}, "gsk3b": {0.6, 0.6}, "jnk3": {0.6, 0.6}}

// kinaseLists are the lists for two of them, and their columns.
var kinaseLists = map[string]string{"gsk3b": "gsk3", "jnk3": "jnk3"}

func (s *scoreFlags) add(f *pflag.FlagSet) {
	f.StringArrayVar(&s.scores, "score", nil, "score to optimise, see above; repeated for several")
	f.StringArrayVar(&s.weights, "weight", nil, "NAME=NUMBER: weight of a score (default 1)")
	f.StringArrayVar(&s.clips, "clip", nil, "NAME=NUMBER: value beyond which a score counts as no better; 0 for none")
	f.StringArrayVar(&s.thresholds, "threshold", nil, "NAME=NUMBER: smallest value of a success")
	f.StringArrayVar(&s.ranges, "range", nil, "NAME=BAD:GOOD: numbers that become 0 and 1")
	f.StringVar(&s.combine, "combine", score.Mean, "how scores are combined: mean, product or geometric-mean")
	f.StringVar(&s.cache, "cache", "", "folder for trained forests and fragments (default: optimise in the user's cache folder of ehgnn)")
	f.DurationVar(&s.timeout, "score-timeout", time.Minute, "how long a command may take for a molecule")
}

// check parses the flags.
func (s *scoreFlags) check() error {
	if len(s.scores) == 0 {
		return usage(fmt.Errorf("no --score; there are %s, and NAME=LIST.csv, NAME=RUN and NAME=COMMAND", strings.Join(slices.Sorted(maps.Keys(builtIn)), ", ")))
	}
	if s.timeout <= 0 {
		return usage(fmt.Errorf("--score-timeout is %v, expected more than 0", s.timeout))
	}
	if err := oneOf("combine", s.combine, score.Combinations()...); err != nil {
		return err
	}
	for _, text := range s.scores {
		t := scoreTerm{Name: text, Weight: 1}
		known, ok := builtIn[text]
		switch {
		case ok:
			t.Clip, t.Threshold = known.clip, &known.threshold
		case !strings.Contains(text, "="):
			return usage(fmt.Errorf("--score has %q, expected one of %s, or NAME=LIST.csv, NAME=RUN or NAME=COMMAND", text, strings.Join(slices.Sorted(maps.Keys(builtIn)), ", ")))
		default:
			var err error
			if t.Name, t.From, err = splitPair("score", text); err != nil {
				return err
			}
			if missing(t.From) {
				return usage(fmt.Errorf("--score %s: there is no %s: no table, folder of a run, or program", t.Name, t.From))
			}
		}
		names := strings.Split(t.Name, ",")
		if len(names) > 1 {
			t.Columns = len(names)
		}
		for column, name := range names {
			if name == "" {
				return usage(fmt.Errorf("--score is %q, expected a name before and behind each comma", text))
			}
			if slices.ContainsFunc(s.terms, func(o scoreTerm) bool { return o.Name == name }) {
				return usage(fmt.Errorf("--score has %q twice", name))
			}
			t.Name, t.Column = name, column
			s.terms = append(s.terms, t)
		}
	}
	for _, of := range []struct {
		flag   string
		values []string
		set    func(t *scoreTerm, v, second float64)
	}{
		{"weight", s.weights, func(t *scoreTerm, v, _ float64) { t.Weight = v }},
		{"clip", s.clips, func(t *scoreTerm, v, _ float64) { t.Clip = v }},
		{"threshold", s.thresholds, func(t *scoreTerm, v, _ float64) { t.Threshold = &v }},
		{"range", s.ranges, func(t *scoreTerm, bad, good float64) { t.Range = &[2]float64{bad, good} }},
	} {
		for _, text := range of.values {
			name, value, err := splitPair(of.flag, text)
			if err != nil {
				return err
			}
			at := slices.IndexFunc(s.terms, func(t scoreTerm) bool { return t.Name == name })
			if at < 0 {
				return usage(fmt.Errorf("--%s is for %q, which is not a --score", of.flag, name))
			}
			second := "0"
			if of.flag == "range" {
				value, second, _ = strings.Cut(value, ":")
			}
			v, err := number(of.flag, value)
			if err != nil {
				return err
			}
			w, err := number(of.flag, second)
			if err != nil {
				return err
			}
			of.set(&s.terms[at], v, w)
		}
	}
	return nil
}

// open makes the set of the scores, with their thresholds. The caller closes it.
func (s *scoreFlags) open(ctx context.Context, a *app, tk chem.Toolkit) (set *score.Set, thresholds map[string]float64, err error) {
	var terms []score.Term
	defer func() {
		if err != nil {
			for _, t := range terms {
				if t.Scorer != nil {
					t.Scorer.Close()
				}
			}
		}
	}()
	thresholds = map[string]float64{}
	for k := range s.terms {
		t := &s.terms[k]
		of := score.Term{Name: t.Name, Weight: t.Weight, Clip: t.Clip, Range: t.Range, Column: t.Column}
		if t.Column > 0 { // the program is the same as that of the previous term
			of.Scorer = terms[k-1].Scorer
		} else if err := s.source(ctx, a, tk, t, &of); err != nil {
			return nil, nil, err
		}
		terms = append(terms, of)
		if t.Threshold != nil {
			thresholds[t.Name] = *t.Threshold
		}
	}
	if set, err = score.NewSet(tk, a.threads, terms...); err != nil {
		return nil, nil, usage(err)
	}
	set.Combination = s.combine
	return set, thresholds, nil
}

// combination is --combine for the settings of a run, "" for the default, which older runs do not store.
func (s *scoreFlags) combination() string {
	if s.combine == score.Mean {
		return ""
	}
	return s.combine
}

// missing says that a text looks like a path without a file, and not like a command: the shell's
// own error would be less clear and come only after some molecules.
func missing(text string) bool {
	if strings.ContainsAny(text, " \t\n|&;<>()$`\\\"'*?[]{}~") || !strings.Contains(text, "/") && !tables.IsTable(text) {
		return false
	}
	_, file := os.Stat(text)
	_, program := exec.LookPath(text)
	return file != nil && program != nil
}

// source finds the source of the numbers of a score.
func (s *scoreFlags) source(ctx context.Context, a *app, tk chem.Toolkit, t *scoreTerm, to *score.Term) (err error) {
	switch info, found := os.Stat(t.From); {
	case t.Columns > 1 && found == nil && (info.IsDir() || tables.IsTable(t.From)):
		return usage(fmt.Errorf("--score %s: %s is a run or a table, which is a single score; only a program has several", t.Name, t.From))
	case t.Name == "qed" && t.From == "":
		to.Property = score.QED
	case t.Name == "sa" && t.From == "":
		to.Property = score.SA
	case t.From == "":
		path, err := smiles.Locate(a.dataDir, kinaseLists[t.Name])
		if err != nil {
			return usage(fmt.Errorf("--score %s: %w", t.Name, err))
		}
		return s.oracle(ctx, a, tk, t, path, kinaseLists[t.Name], to)
	case found == nil && info.IsDir():
		run, err := score.OpenRun(ctx, tk, a.threads, t.From, t.Name)
		if err != nil {
			return usage(fmt.Errorf("--score %s: %w", t.Name, err))
		}
		to.Scorer, t.Checksum = run, run.Checksum
	case found == nil && info.Mode().IsRegular() && tables.IsTable(t.From):
		column := "active"
		if smiles.Has(t.From, t.Name) {
			column = t.Name
		}
		return s.oracle(ctx, a, tk, t, t.From, column, to)
	default:
		to.Scorer = score.NewCommand(t.From, max(t.Columns, 1), s.timeout)
	}
	return nil
}

// cacheFolder stores what takes long to compute and does not depend on a run.
func (s *scoreFlags) cacheFolder() (string, error) {
	if s.cache != "" {
		return s.cache, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", usage(errors.New("this system has no folder for caches; --cache names one"))
	}
	return filepath.Join(dir, "ehgnn", "optimise"), nil
}

// oracle reads or trains the forest of a list.
func (s *scoreFlags) oracle(ctx context.Context, a *app, tk chem.Toolkit, t *scoreTerm, path, column string, to *score.Term) error {
	list, err := score.ReadActives(path, column)
	if err != nil {
		return usage(fmt.Errorf("--score %s: %w", t.Name, err))
	}
	t.Checksum = list.Checksum
	dir, err := s.cacheFolder()
	if err != nil {
		return err
	}
	o, err := score.OpenOracle(ctx, tk, a.threads, dir, list, score.NewOracleConfig(t.Name))
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return failure(fmt.Errorf("--score %s: %w", t.Name, err))
	}
	a.log.Info("forest", "score", t.Name, "molecules", o.Molecules, "active", o.Active, "test ROC-AUC", fmt.Sprintf("%.3f", o.ROCAUC))
	to.Property = o.Property
	return nil
}
