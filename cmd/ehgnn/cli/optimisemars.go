package cli

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/ehgnn/ehgnn/internal/generate/mars"
	"github.com/ehgnn/ehgnn/internal/generate/score"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// marsFlags are the flags only for --search mars.
type marsFlags struct {
	fragments, reference string
	numFragments         int
	config               mars.Config
}

func (m *marsFlags) add(f *pflag.FlagSet) {
	f.StringVar(&m.fragments, "fragments", "zinc", "list of molecules whose fragments are joined, a file or a name in the data folder")
	f.IntVar(&m.numFragments, "num-fragments", 1000, "most frequent fragments to use")
	f.StringVar(&m.reference, "reference", "", "list of known molecules; successes that are similar to none of them are new")
	f.IntVar(&m.config.Chains, "chains", 128, "chains run together; chain i starts at molecule i of --start, cyclically")
	f.IntVar(&m.config.Steps, "steps", 500, "steps of every chain")
	f.StringVar(&m.config.Edges, "edges", mars.EdgesEHGNN, "how the network represents bonds: ehgnn, or mlp as in MARS")
	f.Float64Var(&m.config.Rate, "lr", m.config.Rate, "learning rate")
	f.Float64Var(&m.config.EdgeRate, "edge-lr", m.config.EdgeRate, "learning rate of the representation of bonds")
	f.IntVar(&m.config.Batches, "batches", m.config.Batches, "training minibatches in a step, at most; 0 for no training")
	f.IntVar(&m.config.Patience, "patience", m.config.Patience, "steps without progress after which the chains end")
}

// marsOnly are the names of these flags.
var marsOnly = []string{"fragments", "num-fragments", "reference", "chains", "steps", "edges", "lr", "edge-lr", "batches", "patience"}

func (o *optimise) checkMARS() error {
	m := &o.mars
	if err := oneOf("edges", m.config.Edges, mars.EdgesEHGNN, mars.EdgesMLP); err != nil {
		return err
	}
	for flag, v := range map[string]int{"num-fragments": m.numFragments, "chains": m.config.Chains, "steps": m.config.Steps, "patience": m.config.Patience} {
		if err := atLeast(flag, v, 1); err != nil {
			return err
		}
	}
	m.config.Seed, m.config.Threads = o.app.seed, o.app.threads
	return usage(m.config.Validate())
}

// chains runs MARS in a locked folder.
func (o *optimise) chains(ctx context.Context, scores *score.Set, thresholds map[string]float64) error {
	editor, checksum, err := o.openFragments(ctx)
	if err != nil {
		return err
	}
	defer editor.Close()
	start, err := o.molecules(editor)
	if err != nil {
		return err
	}
	t := mars.Task{Editor: editor, Scores: scores, Start: start}
	if len(thresholds) > 0 {
		t.Thresholds = []mars.Thresholds{{Name: "thresholds", Least: thresholds}}
	}
	smiles := lists.Map(start, func(m *mars.Molecule) string { return m.SMILES })
	of := marsSettings{Scores: o.scores.terms, Combine: o.scores.combination(), Fragments: checksum, Start: smiles, MaxAtoms: o.atoms(mars.MaxAtoms), Toolkit: o.toolkit.Version()}
	if o.mars.reference != "" {
		if t.Reference, err = o.list("reference", o.mars.reference); err != nil {
			return err
		}
		of.Reference = fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(t.Reference, "\n"))))
	}
	files, err := openMARSFiles(o.out, of, scores)
	if err != nil {
		return err
	}
	defer files.close()
	t.Checkpoint = &mars.Checkpoint{Dir: o.out, Interval: 20 * time.Second, Identity: files.identity}
	progress := o.app.progress(o.mars.config.Steps, "step")
	t.OnStep = func(p mars.Progress) {
		text := fmt.Sprintf("mean %.4f, %.1f atoms", p.Mean, p.Atoms)
		if len(p.Sets) > 0 {
			text += fmt.Sprintf(", success %.1f %%", 100*p.Sets[0].Success)
		}
		progress.At(p.Step+1, o.mars.config.Steps, text)
		files.step(p)
	}
	defer o.app.finishing(func() string { return "the step under way and its checkpoint" })()
	result, err := mars.Run(ctx, t, o.mars.config)
	progress.Finish()
	switch {
	case ctx.Err() != nil:
		o.app.tell("ehgnn: finished work is kept in %s; the same command continues it", o.out)
		return ctx.Err()
	case errors.Is(err, mars.ErrOther):
		return usage(fmt.Errorf("%w; %s", err, otherOut))
	case err != nil:
		return failure(err)
	}
	if err := files.result(result, scores.Names(), o.toolkit); err != nil {
		return failure(err)
	}
	return o.app.emit(files.summary(result, scores.Names()), func(w io.Writer) error { return files.print(w, result, scores.Names()) })
}

// openFragments returns the arms, which are stored in the folder.
func (o *optimise) openFragments(ctx context.Context) (e *mars.Editor, checksum string, err error) {
	texts, err := o.list("fragments", o.mars.fragments)
	if err != nil {
		return nil, "", err
	}
	dir, err := o.scores.cacheFolder()
	if err != nil {
		return nil, "", err
	}
	v, err := mars.OpenVocabulary(ctx, o.toolkit, dir, texts, mars.ExtractConfig{Size: o.mars.numFragments, Threads: o.app.threads})
	if err != nil {
		if ctx.Err() == nil {
			err = usage(fmt.Errorf("--fragments: %w", err))
		}
		return nil, "", err
	}
	if checksum, err = v.WriteFile(filepath.Join(o.out, "fragments.csv")); err != nil {
		return nil, "", failure(err)
	}
	e, dropped, err := mars.NewEditor(o.toolkit, v, o.atoms(mars.MaxAtoms))
	if err == nil && len(dropped) > 0 {
		o.app.log.Warn("fragments that do not parse are left out", "count", len(dropped), "first", dropped[0])
	}
	return e, checksum, failure(err)
}

// molecules returns the start molecules.
func (o *optimise) molecules(e *mars.Editor) ([]*mars.Molecule, error) {
	texts := []string{"CC"}
	if o.start != "" {
		var err error
		if texts, err = o.list("start", o.start); err != nil {
			return nil, err
		}
	}
	var out []*mars.Molecule
	var first error
	for i, text := range texts[:min(len(texts), o.mars.config.Chains)] {
		m, err := e.Read(text)
		if err != nil {
			if first == nil {
				first = fmt.Errorf("--start: molecule %d: %w", i+1, err)
			}
			continue
		}
		out = append(out, m)
	}
	if len(out) == 0 {
		if first == nil {
			first = fmt.Errorf("--start: %s has no molecule", o.start)
		}
		return nil, usage(first)
	}
	if first != nil {
		o.app.log.Warn("molecules to begin with are left out", "first", first)
	}
	if len(texts) > o.mars.config.Chains {
		o.app.log.Warn("not all molecules of --start are used", "used", o.mars.config.Chains, "of", len(texts), "hint", "--chains")
	}
	return out, nil
}
