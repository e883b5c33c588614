package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// storeInfo is the output of info.
type storeInfo struct {
	Store        string       `json:"store"`
	Checksum     string       `json:"checksum"` // of the manifest, which has the checksums of all files
	Nodes        int64        `json:"nodes"`
	Edges        int64        `json:"edges"`
	Directed     bool         `json:"directed"`
	Blocks       int          `json:"blocks"`
	BlockEdges   int          `json:"block_edges"`
	Parts        int          `json:"parts"`
	MostEntries  int64        `json:"most_entries"`
	EdgeFeatures int          `json:"edge_features"` // number of columns as models read them
	NodeFeatures int          `json:"node_features"`
	Labels       bool         `json:"labels"`
	Classes      []string     `json:"classes,omitempty"`
	Split        *store.Split `json:"split,omitempty"`
	Bytes        int64        `json:"bytes"`
	Checked      bool         `json:"checked"` // whether all files were read and their checksums are right
	Predict      store.Needs  `json:"predict"`
}

func newInfo(a *app) *cobra.Command {
	var width int
	var run string
	var check bool
	cmd := &cobra.Command{
		Use:   "info STORE",
		Short: "Describe a store, and what predicting from it takes",
		Long: `Describe a store, and what a layer of a model of some width takes when predict or embed goes over
it: memory for the sums and rows of all nodes at once, which --runner local takes in several passes
where there is less; disk for two states of all edges; and, on an engine, the bytes that are sent
between blocks and parts.`,
		Example: `  ehgnn-scale info payments.store
  ehgnn-scale info payments.store --run runs/payments --check --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := atLeast("width", width, 1); err != nil {
				return err
			}
			s, err := store.Open(args[0])
			if err != nil {
				return err
			}
			if run != "" {
				if width, err = widthOf(run, &s.Manifest); err != nil {
					return err
				}
			}
			if check {
				if err := a.check(cmd.Context(), s); err != nil {
					return err
				}
			}
			m := &s.Manifest
			i := &storeInfo{Store: args[0], Checksum: s.Checksum, Nodes: m.Nodes, Edges: m.Edges, Directed: m.Directed, Blocks: m.Blocks, BlockEdges: m.BlockEdges,
				Parts: len(m.Parts), MostEntries: m.MostEntries, EdgeFeatures: m.EdgeLayout().Width(), NodeFeatures: m.NodeLayout().Width(), Labels: m.Labels,
				Classes: m.Encoder.Classes, Split: m.Split, Bytes: m.Bytes(), Checked: check, Predict: m.Needs(width)}
			return a.emit(i, func(w io.Writer) error { return i.write(w, m) })
		},
	}
	f := cmd.Flags()
	f.IntVar(&width, "width", 32, "width of the model")
	f.StringVar(&run, "run", "", "run folder, whose model is taken for its width")
	f.BoolVar(&check, "check", false, "read all files and compare their checksums")
	return cmd
}

// widthOf returns the largest width of the states and messages of a run's model.
func widthOf(dir string, m *store.Manifest) (int, error) {
	trained, err := visit.OpenRun(dir)
	if err != nil {
		return 0, err
	}
	if err := visit.Check(trained.Run, m); err != nil {
		return 0, settings.Misuse("%s: %w", dir, err)
	}
	p, width := trained.Program, 1
	for t := range p.Turns() {
		width = max(width, p.NodeWidth(t), p.StateWidth(t), p.MessageWidth(t))
	}
	return width, nil
}

// check reads all files of a store.
func (a *app) check(ctx context.Context, s *store.Store) error {
	m := &s.Manifest
	total, done := 2*m.Blocks+len(m.Parts), 0
	show := a.progress(total, "files")
	defer show.Finish()
	step := func(err error) error {
		done++
		show.At(done, total, "checksums")
		return err
	}
	for i := range m.Blocks {
		_, err := s.Block(ctx, i)
		if err := step(err); err != nil {
			return err
		}
		_, err = s.Names(ctx, i)
		if err := step(err); err != nil {
			return err
		}
	}
	for p := range m.Parts {
		_, err := s.Part(ctx, p)
		if err := step(err); err != nil {
			return err
		}
	}
	return nil
}

func (i *storeInfo) write(w io.Writer, m *store.Manifest) error {
	if err := describe(w, i.Store, m); err != nil {
		return err
	}
	labels := "no labels"
	if i.Labels && len(i.Classes) > 0 {
		labels = fmt.Sprintf("%d classes", len(i.Classes))
	} else if i.Labels {
		labels = "labels that are numbers"
	}
	checked := ""
	if i.Checked {
		checked = "all files have their checksums\n"
	}
	n := i.Predict
	_, err := fmt.Fprintf(w, `%s of features of edges, %d of nodes; %s; at most %s of edges at a node
%sa layer of width %d:
  memory   %s for all parts at once, %s for one
  disk     %s for states of edges
  shuffle  %s at most, on an engine
`, report.Counted(i.EdgeFeatures, "column"), i.NodeFeatures, labels, report.Counted(int(i.MostEntries), "end"), checked, n.Width,
		memory.Text(n.Memory), memory.Text(n.PartMemory), memory.Text(n.Disk), memory.Text(n.Shuffle))
	return err
}
