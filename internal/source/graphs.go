package source

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/planetoid"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// graphSource reads collections of graphs, as one set or one set for each part, and single graphs
// with classified nodes.
var graphSource = &Source{
	Name:    "graphs",
	Expect:  "a data set in the form of TU, DGCNN, OGB or Planetoid (folder, zip, tar or file), or a folder with the parts NAME_train, NAME_val and NAME_test",
	Formats: []string{data.FormatTU, data.FormatDGCNN, data.FormatOGB, planetoid.Format},
	Recognise: func(path string) bool {
		return false // SourceOf uses it as fallback
	},
	InitSettings: func(d *settings.DataSettings) { d.Graphs = &settings.GraphSettings{Standardise: true} },
	Read: func(_ context.Context, d *settings.DataSettings, _ *settings.Kind) (Data, error) {
		p, err := openParts(d.Path, data.Options{Format: d.Format, Name: d.Graphs.Set, Edges: d.Form(), MaxMemory: d.MaxMemory})
		if err != nil {
			return nil, err
		}
		p.Describe(d)
		return p, nil
	},
	ReadForInference: func(_ context.Context, s *settings.Settings, o LoadOptions, own bool) (Data, error) {
		options := dataOptions(s, o.Set, o.Format)
		options.MaxMemory = o.MaxMemory
		p, err := openParts(o.Data, options)
		if err != nil {
			return nil, err
		}
		return p, p.checkColumns(s, o.Data)
	},
	InferenceOptions: []string{"name", "format"},
}

// GraphData has the graphs that were read: one set, or one for each part.
type GraphData struct {
	many               bool          // labelled nodes and edges belong to many graphs
	Whole              *data.Dataset // nil if the data come in parts
	Train, Valid, Test *data.Dataset
}

// oneOfNodes reports whether a task is about the nodes of the only graph.
func (p *GraphData) oneOfNodes(t *settings.Kind) bool {
	return t.Level == settings.Nodes && !t.Collection && !p.many
}

// main is the set that determines settings and the shape of the model.
func (p *GraphData) main() *data.Dataset { return p.sets()[0] }

// sets lists the sets: one, or train, valid and test.
func (p *GraphData) sets() []*data.Dataset {
	if p.Whole != nil {
		return []*data.Dataset{p.Whole}
	}
	return []*data.Dataset{p.Train, p.Valid, p.Test}
}

func (p *GraphData) Checksum() string { return p.main().Info.Checksum }

func (p *GraphData) Graphs() []*graph.Graph { return p.main().Graphs }

// Notes returns nil: the summary has the notes of these readers, which never change.
func (p *GraphData) Notes() []string { return nil }

// Describe records in the settings what was read.
func (p *GraphData) Describe(d *settings.DataSettings) {
	i, g := p.main().Info, d.Graphs
	d.Name, d.Format, d.Checksum = p.Name(), i.Format, i.Checksum
	d.SetForm(i.Directed)
	if i.Scaled || !i.HasNodeAttributes && !i.HasEdgeAttributes {
		g.Standardise = false // there are no numbers, or the reader standardised them
	}
	if gs := p.main().Graphs; len(gs) > 0 {
		// If there are several label columns, each keeps its own encoding.
		switch {
		case len(i.NodeLabelOffset) == 1:
			g.NodeCodes, g.NodeOffset = gs[0].Node.NumCodes(), i.NodeLabelOffset[0]
		case !i.HasNodeLabels && !i.HasNodeAttributes:
			g.NodeCodes = gs[0].Node.NumCodes() // degree codes
		}
		if len(i.EdgeLabelOffset) == 1 {
			g.EdgeCodes, g.EdgeOffset = gs[0].Edge.NumCodes(), i.EdgeLabelOffset[0]
		}
		g.NodeFields = settings.FieldsOf(gs[0].Node, i.NodeLabelOffset, i.HasNodeLabels || i.HasNodeAttributes, settings.KindDegree)
		if f := g.NodeFields; len(f) == 1 && f[0].Kind == settings.KindDegree && f[0].Width == 0 {
			f[0].Mean, f[0].Scale = i.DegreeMean, i.DegreeScale
		}
		g.EdgeFields = settings.FieldsOf(gs[0].Edge, i.EdgeLabelOffset, i.HasEdgeLabels || i.HasEdgeAttributes, settings.KindConstant)
	}
}

// Labelled returns the level of the labels, and whether they are numbers.
func (p *GraphData) Labelled() (settings.Level, bool) {
	switch i := p.main().Info; {
	case i.NumNodeClasses > 1:
		return settings.Nodes, false
	case i.NumClasses == 0 && i.NumTargets > 0 && !p.binary():
		return settings.Graphs, true
	}
	return settings.Graphs, false
}

// binary reports whether all targets are 0, 1 or missing.
func (p *GraphData) binary() bool {
	for _, d := range p.sets() {
		for _, g := range d.Graphs {
			for _, v := range g.Targets {
				if v == v && v != 0 && v != 1 {
					return false
				}
			}
		}
	}
	return true
}

// Labels returns the classes or targets of graphs, or the classes of nodes.
func (p *GraphData) Labels(items settings.Level) (l Labels, err error) {
	i := p.main().Info
	if items == settings.Nodes {
		return Labels{Classes: i.NumNodeClasses, ClassNames: i.ClassNames}, nil
	}
	l = Labels{Classes: i.NumClasses, ClassNames: i.ClassNames}
	if i.NumTargets > 0 {
		l.Targets, err = p.targets()
	}
	return l, err
}

// dataOptions are the options with which readers encode data like the training data.
func dataOptions(s *settings.Settings, name, format string) data.Options {
	g := s.Data.Graphs
	return data.Options{Format: format, Name: name, Edges: s.Data.Form(), ClassNames: s.Target.Classes,
		NodeCodes: g.NodeCodes, EdgeCodes: g.EdgeCodes, NodeOffset: g.NodeOffset, EdgeOffset: g.EdgeOffset}
}

// checkColumns returns an error for data with other features or targets than the training data,
// although they were read with the same encoding.
func (p *GraphData) checkColumns(s *settings.Settings, path string) error {
	info := p.main().Info
	if info.NodeWidth != s.Model.Node || info.EdgeWidth != s.Model.Edge && s.Spec().Form == nil {
		return fmt.Errorf("%s has node features of width %d and edge features of width %d; the run was trained with %d and %d",
			path, info.NodeWidth, info.EdgeWidth, s.Model.Node, s.Model.Edge)
	}
	if info.Checksum != s.Data.Checksum && max(len(info.NodeLabelOffset), len(info.EdgeLabelOffset)) > 1 {
		return fmt.Errorf("%s has several label columns; their codes depend on the data set, so the run can be used only with the data it was trained on", path)
	}
	if err := p.checkTargets(s); err != nil {
		return fmt.Errorf("%s %w; the run cannot be used with it", path, err)
	}
	return nil
}

// checkTargets returns an error for data whose classes or targets differ from those that the model
// predicts. Data without classes and targets are accepted.
func (p *GraphData) checkTargets(s *settings.Settings) error {
	i := p.main().Info
	names := s.Target.Names
	switch {
	case p.oneOfNodes(&s.Kind) && i.NumNodeClasses > s.Model.Out:
		return fmt.Errorf("has %d classes of nodes where the model knows %d", i.NumNodeClasses, s.Model.Out)
	case names == nil || i.NumTargets*i.NumGraphs == i.MissingTargets:
		return nil
	case i.NumTargets != len(names):
		return fmt.Errorf("has %d targets where the model predicts %d", i.NumTargets, len(names))
	}
	for k, name := range TargetNames(i) {
		if name != names[k] {
			return fmt.Errorf("has target %q where the model predicts %q", name, names[k])
		}
	}
	return nil
}

// targets returns the names of the targets, which must be equal in all sets.
func (p *GraphData) targets() ([]string, error) {
	names := TargetNames(p.main().Info)
	for _, d := range p.sets() {
		if !slices.Equal(TargetNames(d.Info), names) {
			return nil, fmt.Errorf("%s has targets %q, %s has %q, expected the same", p.main().Info.Name, names, d.Info.Name, TargetNames(d.Info))
		}
	}
	return names, nil
}

// TargetNames returns the names of a set's targets, or their numbers if they have no names.
func TargetNames(i data.Info) []string {
	if len(i.TargetNames) == i.NumTargets && distinct(i.TargetNames) {
		return i.TargetNames
	}
	return lists.Map(lists.Range[int](i.NumTargets), strconv.Itoa)
}

// distinct reports whether all names are different and valid as names of columns.
func distinct(names []string) bool {
	seen := map[string]bool{"": true}
	for _, n := range names {
		if seen[n] || !utf8.ValidString(n) {
			return false
		}
		seen[n] = true
	}
	return true
}

// Name is the name of the set, without the suffix of a part.
func (p *GraphData) Name() string { return strings.TrimSuffix(p.main().Info.Name, "_train") }

func (p *GraphData) Memory() int64 {
	var bytes int64
	for _, d := range p.sets() {
		for _, g := range d.Graphs {
			words := len(g.Ends) + len(g.Targets) + len(g.NodeLabel) + len(g.EdgeLabel) + len(g.NodeTargets) + len(g.EdgeTargets)
			for _, f := range []graph.Features{g.Node, g.Edge} {
				words += len(f.Dense) + len(f.Code)
			}
			bytes += int64(4*words) + 256
		}
	}
	return bytes
}
