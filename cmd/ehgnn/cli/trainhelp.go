package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ehgnn/ehgnn/internal/sanitize"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// trainHelp is the help of train on one screen. --help-all lists every flag.
const trainHelp = `Train a model on DATA and write a run folder: weights, settings, scores,
predictions for the test part, report.html and README.md, the model card.

  ehgnn train DATA [flags]
  ehgnn train --resume --out RUN           go on with a run
  ehgnn train --config RUN/config.yaml     train the same run again

  DATA  tables of edges and maybe nodes (folder, zip, CSV, Parquet, Arrow,
        XLSX or JSON records), a graph file, molecules (SMILES, SDF), node-link
        JSON, a TU or OGB set, or the name of a known set: ehgnn data list

Data
  --task TASK          graph-, node- or edge-classification or -regression,
                       edge-reconstruction, link-prediction, ...
                                                     [from the labels]
  --label COLUMN       what to predict               [label, class or y]
  --source, --target COLUMN   ends of an edge        [source, target; from, to]
  --nodes FILE[,FILE]  table of the nodes, or two    [nodes.csv, if there]
  --ignore COLUMNS     columns not to read           [those unique per row]
  --split KIND         random, time, group, column, scaffold, folds, ...
                                                     [of the data, or random]
  --time, --group, --part COLUMN   for --split       [by name, if there]
  --fractions A,B,C    train, validation, test [0.8,0.1,0.1; tables 0.6,0.2,0.2]
Model
  --model NAME         see: ehgnn models             [auto of edges, or by task]
  --quality HOW        of auto: fast, good or best   [good]
  --hidden N, --layers N, --dropout X, --members N   [by the model]
Training
  --epochs N, --lr X, --batch-size N, --patience N   [by the task]
  --threshold RULE     two classes: a number, macro_f1, f1, recall=0.9,
                       precision=0.8, budget=50, cost=FP:FN  [macro_f1 of edges]
  --repeat N           train with N seeds: mean and deviation         [1]
Output
  --out FOLDER         run folder                    [runs/DATA-MODEL]
  --resume             continue the run in --out
  --json, --quiet      one JSON document; no progress
  --seed N [42], --threads N [all cores], --max-memory SIZE, --config FILE

All flags: ehgnn train --help-all. For example:
  ehgnn train payments --label fraud --split time --out runs/payments
  ehgnn train molecules.csv --split scaffold
`

// flagGroup is a group of flags of train, in the order of --help-all.
type flagGroup struct {
	title string
	has   func(name string) bool
}

// trainGroups divides the flags of train into groups.
func trainGroups(cmd *cobra.Command) []flagGroup {
	of := func(groups ...settings.Group) func(string) bool {
		return func(name string) bool {
			o, ok := settings.FindOption(name)
			return ok && slices.Contains(groups, o.Of)
		}
	}
	among := func(names ...string) func(string) bool {
		return func(name string) bool { return slices.Contains(names, name) }
	}
	inherited := func(name string) bool { return cmd.InheritedFlags().Lookup(name) != nil }
	return []flagGroup{
		{"Data", func(name string) bool { return name == "task" || of(settings.OfData, settings.OfSplit)(name) }},
		{"Model", func(name string) bool { return name == "model" || of(settings.OfModel)(name) }},
		{"Training", func(name string) bool { return name == "repeat" || of(settings.OfTask, settings.OfTrain)(name) }},
		{"Link prediction", func(name string) bool {
			f := cmd.Flags().Lookup(name)
			return f != nil && strings.HasPrefix(f.Usage, "link-prediction")
		}},
		{"Output", among("out", "resume", "max-memory", "help", "help-all")},
		{"Everywhere", inherited},
	}
}

// setTrainHelp gives train its short help, and --help-all for every flag.
func setTrainHelp(cmd *cobra.Command) {
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		_ = sanitize.Write(cmd.OutOrStdout(), func(w io.Writer) error { // the stream stores its error
			_, err := io.WriteString(w, trainHelp)
			return err
		})
	})
}

// helpAll lists every flag of train in groups.
func helpAll(cmd *cobra.Command, w io.Writer) error {
	text := strings.TrimSpace(cmd.Long) + "\n\nUsage:\n  " + cmd.UseLine() + "\n\nExamples:\n" + cmd.Example + "\n"
	all := pflag.NewFlagSet("all", pflag.ContinueOnError)
	all.AddFlagSet(cmd.Flags())
	all.AddFlagSet(cmd.InheritedFlags())
	shown := map[string]bool{}
	for _, g := range trainGroups(cmd) {
		some := pflag.NewFlagSet(g.title, pflag.ContinueOnError)
		all.VisitAll(func(f *pflag.Flag) {
			if !shown[f.Name] && g.has(f.Name) {
				shown[f.Name] = true
				some.AddFlag(f)
			}
		})
		text += "\n" + g.title + ":\n" + some.FlagUsages()
	}
	_, err := fmt.Fprint(w, text)
	return err
}
