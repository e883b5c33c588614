package cli

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/chem/rdkit"
	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/generate/mars"
)

// optimise is the verb that runs chains of MARS.
type optimise struct {
	app                         *app
	start, fragments, reference string
	numFragments, maxAtoms      int
	out                         string
	config                      mars.Config
	scores                      scoreFlags
	toolkit                     chem.Toolkit
}

func newOptimise(a *app) *cobra.Command {
	o := &optimise{app: a, config: mars.NewConfig()}
	cmd := &cobra.Command{
		Use:   "optimise",
		Short: "Optimise molecules for scores of your own",
		Long: `Change molecules step by step, by cutting bonds and joining fragments, until their scores
are high: MARS, whose network learns on the way which changes help. Many chains run side by
side, each with a molecule. Needs the chemistry build.

A score is one of
  qed, sa         drug-likeness, and how easy a molecule is to make; both in [0,1]
  gsk3b, jnk3     random forests on the lists gsk3 and jnk3 of the data folder
  NAME=LIST.csv   a random forest on a table of SMILES with a column NAME, or active, of 0 and 1
  NAME=RUN        a run of ehgnn train on a table of SMILES; NAME says which number, label or
                  class, where there are several
  NAME=COMMAND    a program that reads SMILES, one a line, and answers each at once with a line
                  that has a number, or is empty where there is none

What is maximised is the mean of all scores by --weight, each up to its --clip. Numbers that
are not in [0,1] need a --range: --range solubility=-6:0 makes 0 of -6 and 1 of 0, and
--range mass=500:200 makes small numbers good. --threshold says when a molecule is a success.
qed, sa, gsk3b and jnk3 have the clips and thresholds of the paper.

--out gets molecules.csv, the best ones with their scores, and a picture of them as SVG and
PNG; population.csv, where the chains are at the end; scores.jsonl, every number that was
computed; progress.jsonl; fragments.csv; summary.json. The same command goes on in --out where
it was interrupted or killed; with more --steps it goes on from the end.`,
		Example: `  ehgnn optimise --score qed --score sa --out runs/drugs
  ehgnn optimise --start hits.smi --score qed --score solubility=runs/esol --range solubility=-6:0
  ehgnn optimise --start hits.csv --score sa --score dock='python dock.py' --range dock=-5:-12`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&o.start, "start", "", "molecules to begin with: a table with a column of SMILES, or a SMILES a line (default: ethane)")
	f.StringVar(&o.fragments, "fragments", "zinc", "list of molecules whose fragments are joined, a file or a name in the data folder")
	f.IntVar(&o.numFragments, "num-fragments", 1000, "most frequent fragments to use")
	f.IntVar(&o.maxAtoms, "max-atoms", mars.MaxAtoms, "heavy atoms of a molecule that fragments are joined to, at most")
	f.StringVar(&o.out, "out", filepath.Join("runs", "optimise"), "folder for the results")
	f.StringVar(&o.reference, "reference", "", "list of known molecules; successes that resemble none are new")
	f.IntVar(&o.config.Chains, "chains", 128, "chains side by side; number i begins at molecule i of --start, over and over")
	f.IntVar(&o.config.Steps, "steps", 500, "steps of every chain")
	f.StringVar(&o.config.Edges, "edges", mars.EdgesEHGNN, "how the network represents bonds: ehgnn, or mlp as in MARS")
	f.Float64Var(&o.config.Rate, "lr", o.config.Rate, "learning rate")
	f.Float64Var(&o.config.EdgeRate, "edge-lr", o.config.EdgeRate, "learning rate of the representation of bonds")
	f.IntVar(&o.config.Batches, "batches", o.config.Batches, "minibatches that are learned in a step, at most; 0 learns nothing")
	f.IntVar(&o.config.Patience, "patience", o.config.Patience, "steps without progress after which the chains end")
	o.scores.add(f)
	return cmd
}

func (o *optimise) run(ctx context.Context) error {
	if err := oneOf("edges", o.config.Edges, mars.EdgesEHGNN, mars.EdgesMLP); err != nil {
		return err
	}
	for flag, v := range map[string]int{"num-fragments": o.numFragments, "max-atoms": o.maxAtoms, "chains": o.config.Chains, "steps": o.config.Steps, "patience": o.config.Patience} {
		if err := atLeast(flag, v, 1); err != nil {
			return err
		}
	}
	o.config.Seed, o.config.Threads = o.app.seed, o.app.threads
	if err := o.config.Validate(); err != nil {
		return usage(err)
	}
	if err := o.scores.check(); err != nil {
		return err
	}
	var err error
	if o.toolkit, err = rdkit.Toolkit(); err != nil {
		return usage(err)
	}
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return failure(err)
	}
	release, err := atomicfile.Lock(o.out)
	if err != nil {
		return failure(err)
	}
	defer release()
	return o.inFolder(ctx)
}

// inFolder runs the chains, in a folder that is locked.
func (o *optimise) inFolder(ctx context.Context) error {
	scores, thresholds, err := o.scores.open(ctx, o.app, o.toolkit)
	if err != nil {
		return err
	}
	defer scores.Close()
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
	of := optimiseSettings{Scores: o.scores.terms, Fragments: checksum, Start: startOf(start), MaxAtoms: o.maxAtoms, Toolkit: o.toolkit.Version()}
	if o.reference != "" {
		if t.Reference, err = o.list("reference", o.reference); err != nil {
			return err
		}
		of.Reference = fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(t.Reference, "\n"))))
	}
	files, err := openOptimiseFiles(o.out, of, scores)
	if err != nil {
		return err
	}
	defer files.close()
	t.Checkpoint = &mars.Checkpoint{Dir: o.out, Interval: 20 * time.Second, Identity: files.identity}
	progress := o.app.progress(o.config.Steps, "step")
	t.OnStep = func(p mars.Progress) {
		text := fmt.Sprintf("mean %.4f, %.1f atoms", p.Mean, p.Atoms)
		if len(p.Sets) > 0 {
			text += fmt.Sprintf(", success %.1f %%", 100*p.Sets[0].Success)
		}
		progress.At(p.Step+1, o.config.Steps, text)
		files.step(p)
	}
	defer o.app.finishing(func() string { return "the step under way and its checkpoint" })()
	result, err := mars.Run(ctx, t, o.config)
	progress.Finish()
	switch {
	case ctx.Err() != nil:
		o.app.tell("ehgnn: what is done is kept in %s; the same command goes on there", o.out)
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

// list reads a list of molecules for a flag.
func (o *optimise) list(flag, name string) ([]string, error) {
	path, err := smiles.Locate(o.app.dataDir, name)
	if err != nil {
		return nil, usage(fmt.Errorf("--%s: %w", flag, err))
	}
	texts, _, err := smiles.Texts(path, "")
	return texts, usage(err)
}

// openFragments are the arms, which are kept in the folder.
func (o *optimise) openFragments(ctx context.Context) (e *mars.Editor, checksum string, err error) {
	texts, err := o.list("fragments", o.fragments)
	if err != nil {
		return nil, "", err
	}
	dir, err := o.scores.cacheFolder()
	if err != nil {
		return nil, "", err
	}
	v, err := mars.OpenVocabulary(ctx, o.toolkit, dir, texts, mars.ExtractConfig{Size: o.numFragments, Threads: o.app.threads})
	if err != nil {
		if ctx.Err() == nil {
			err = usage(fmt.Errorf("--fragments: %w", err))
		}
		return nil, "", err
	}
	if checksum, err = v.WriteFile(filepath.Join(o.out, "fragments.csv")); err != nil {
		return nil, "", failure(err)
	}
	e, dropped, err := mars.NewEditor(o.toolkit, v, o.maxAtoms)
	if err == nil && len(dropped) > 0 {
		o.app.log.Warn("fragments that do not parse are left out", "count", len(dropped), "first", dropped[0])
	}
	return e, checksum, failure(err)
}

// molecules are those to begin with.
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
	for i, text := range texts[:min(len(texts), o.config.Chains)] {
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
	if len(texts) > o.config.Chains {
		o.app.log.Warn("not all molecules of --start are used", "used", o.config.Chains, "of", len(texts), "hint", "--chains")
	}
	return out, nil
}

// otherOut says what to do about a folder that has another run.
const otherOut = "the same settings go on there, another --out begins anew"

// startOf lists the SMILES of states.
func startOf(of []*mars.Molecule) (smiles []string) {
	for _, m := range of {
		smiles = append(smiles, m.SMILES)
	}
	return smiles
}

// named splits NAME=VALUE of a flag.
func named(flag, text string) (name, value string, err error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" || value == "" {
		return "", "", usage(fmt.Errorf("--%s is %q, expected NAME=VALUE", flag, text))
	}
	return name, value, nil
}

// number reads the number of a flag.
func number(flag, text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v-v != 0 { // NaN and infinities
		return 0, usage(fmt.Errorf("--%s has %q, expected a number", flag, text))
	}
	return v, nil
}
