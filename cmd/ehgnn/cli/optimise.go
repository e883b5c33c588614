package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/chem/rdkit"
	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/generate/genetic"
	"github.com/ehgnn/ehgnn/internal/generate/mars"
)

// optimise is the command that searches for molecules.
type optimise struct {
	app        *app
	search     string
	start, out string
	maxAtoms   int
	scores     scoreFlags
	genetic    geneticFlags
	mars       marsFlags
	toolkit    chem.Toolkit
}

// searchMARS is the search of package mars.
const searchMARS = "mars"

func newOptimise(a *app) *cobra.Command {
	o := &optimise{app: a, mars: marsFlags{config: mars.NewConfig()}}
	cmd := &cobra.Command{
		Use:   "optimise",
		Short: "Optimise molecules for scores of your own",
		Long: `Search for molecules with high scores, with few calls of the scores. Needs the chemistry build.

--search ga (default)  a genetic algorithm: crossover and mutation of molecules; a Gaussian process
                       that learns from all scores selects the children to score
--search graph-ga      Jensen's graph GA, the usual baseline
--search mars          MARS: chains that cut bonds and join fragments proposed by a network

A score is one of
  qed, sa         drug-likeness, and ease of synthesis; both in [0,1]
  gsk3b, jnk3     random forests on the lists gsk3 and jnk3 of the data folder
  NAME=LIST.csv   a random forest on a table of SMILES with a column NAME, or active, of 0 and 1
  NAME=RUN        a run of ehgnn train on a table of SMILES; NAME selects the number, label or
                  class, if there are several
  NAME=COMMAND    a program that reads SMILES, one in each line, and answers each at once with a
                  line that has a number, or is empty if there is none
  NAME,NAME=COMMAND  a program whose lines have several numbers, each a separate score

The search maximises the mean of all scores, weighted by --weight, each limited by its --clip. With
--combine it maximises their product or geometric mean, which is 0 if a score is 0. Numbers outside
[0,1] need a --range: --range solubility=-6:0 maps -6 to 0 and 0 to 1, and --range mass=500:200
makes small numbers good. --threshold says when a molecule is a success.
qed, sa, gsk3b and jnk3 have the clips and thresholds of the paper.

ga and graph-ga start with up to 120 molecules of --start, shuffled by --seed, and neutralised if a
proton explains a charge. No molecule is scored twice, and --calls is exact. --keep is a SMARTS
pattern that all molecules must contain. --reject is a pattern, or a list of patterns: unstable
(N-F, O-O and the like; the default), pains, brenk, nih, or none.

Files in --out: molecules.csv has all molecules, best score first, each with its call, QED, SA,
scaffold and nearest start molecule; report.html has the curves and the best molecules, which are
also in best.svg and best.png; scores.jsonl has every computed number; and summary.json. --search
mars also writes population.csv, progress.jsonl and fragments.csv. After an interruption the same
command continues in --out; with more --calls or --steps it continues from the end.`,
		Example: `  ehgnn optimise --score qed --score sa --out runs/drugs
  ehgnn optimise --start hits.smi --score qed --score solubility=runs/esol --range solubility=-6:0
  ehgnn optimise --start hits.csv --keep 'c1ccc2[nH]ccc2c1' --reject unstable --reject pains \
    --score sa --score dock='python dock.py' --range dock=-5:-12 --calls 1000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.belongs(cmd); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.search, "search", genetic.GA, "ga, graph-ga, random (the start list in order) or mars")
	f.StringVar(&o.start, "start", "", "start molecules: a table with a column of SMILES, or a SMILES in each line (default: zinc of the data folder; ethane with --search mars)")
	f.IntVar(&o.maxAtoms, "max-atoms", 0, "largest number of heavy atoms of a molecule, approximately; exact for joined fragments with --search mars (default: 39, or 40)")
	f.StringVar(&o.out, "out", filepath.Join("runs", "optimise"), "folder for the results")
	o.genetic.add(f)
	o.mars.add(f)
	o.scores.add(f)
	return cmd
}

// belongs returns an error for flags of another search.
func (o *optimise) belongs(cmd *cobra.Command) error {
	if err := oneOf("search", o.search, genetic.GA, genetic.GraphGA, genetic.Random, searchMARS); err != nil {
		return err
	}
	foreign, of := marsOnly, "is for --search mars"
	if o.search == searchMARS {
		foreign, of = geneticOnly, "is not for --search mars"
	}
	for _, name := range foreign {
		if cmd.Flags().Changed(name) {
			return usage(fmt.Errorf("--%s %s", name, of))
		}
	}
	return nil
}

func (o *optimise) run(ctx context.Context) error {
	check := o.checkGenetic
	if o.search == searchMARS {
		check = o.checkMARS
	}
	if o.maxAtoms < 0 {
		return usage(fmt.Errorf("--max-atoms is %d, expected at least 1", o.maxAtoms))
	}
	if err := check(); err != nil {
		return err
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
	scores, thresholds, err := o.scores.open(ctx, o.app, o.toolkit)
	if err != nil {
		return err
	}
	defer scores.Close()
	if o.search == searchMARS {
		return o.chains(ctx, scores, thresholds)
	}
	return o.breed(ctx, scores, thresholds)
}

// atoms is --max-atoms, or the default of a search.
func (o *optimise) atoms(usual int) int {
	if o.maxAtoms > 0 {
		return o.maxAtoms
	}
	return usual
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

// otherOut is the hint for a folder that contains another run.
const otherOut = "the same settings go on there, another --out begins anew"

// splitPair splits NAME=VALUE of a flag.
func splitPair(flag, text string) (name, value string, err error) {
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
