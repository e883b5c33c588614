package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/taskflags"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/task"
)

func newData(a *app) *cobra.Command {
	return ofVerbs(&cobra.Command{Use: "data", Short: "List, fetch, look at, split and convert data sets"},
		dataList(a), dataFetch(a), dataInfo(a), dataSplit(a), dataConvert(a))
}

func dataInfo(a *app) *cobra.Command {
	in := &dataFlags{}
	cmd := &cobra.Command{
		Use:   "info PATH",
		Short: "Summarise a data set: sizes, features, classes, splits, checksum",
		Long: `Summarise a data set: sizes, features, classes, splits, checksum. PATH is one of these,
or the name of a known set in the data folder:
` + sourceHelp() + `
Tables and node-link JSON are described by their columns, as train reads them for
--task: what each is for, how it is written, its range or commonest values, the number
of missing cells, the first value, and why it is no feature.`,
		Example: "  ehgnn data info MUTAG.zip\n  ehgnn data info planetoid --name cora\n  ehgnn data info payments --label fraud",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := in.open(a, cmd, args[0])
			if err != nil {
				return err
			}
			sum := d.Summary()
			return a.emit(sum, func(w io.Writer) error { return sum.Text(w, lineWidth(a.out.w)) })
		},
	}
	in.register(cmd)
	return cmd
}

// dataFlags are the flags of commands that read data sets.
type dataFlags struct {
	task   string
	memory memory.Size
}

func (f *dataFlags) register(cmd *cobra.Command) {
	taskflags.Add(cmd.Flags(), settings.OfData)
	maxMemory(cmd, &f.memory)
	cmd.Flags().StringVar(&f.task, "task", "", "task of ehgnn train for which labels are read (default: the task that suits the data)")
	complete(cmd, "task", task.Names)
	cmd.ValidArgsFunction = completeData
}

// open reads the data at a path, or a catalogue set by its name in the data folder.
func (f *dataFlags) open(a *app, cmd *cobra.Command, path string) (*session.Input, error) {
	at, err := a.locate(path)
	if err != nil {
		return nil, err
	}
	r := session.Request{Path: at.Path, Task: f.task, Given: taskflags.Given(cmd.Flags()), MaxMemory: int64(f.memory), Toolkit: a.toolkit()}
	if at.Set != "" && r.Given["name"] == nil {
		r.Given["name"] = at.Set
	}
	in, err := session.Read(cmd.Context(), r)
	if err != nil {
		return nil, usage(err)
	}
	if err := in.Unread(r.Given); err != nil {
		return nil, usage(err)
	}
	return in, nil
}
