package source

import (
	"context"
	"strings"

	"github.com/ehgnn/ehgnn/data/nodelink"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// nodeLinkSource reads the node-link JSON of NetworkX, in which edges, nodes or graphs have
// labels.
var nodeLinkSource = &Source{
	Name:         nodelink.Format,
	Expect:       "node-link JSON of NetworkX, one document, a list of them or one a line",
	Formats:      []string{nodelink.Format},
	Recognise:    nodelink.Recognise,
	InitSettings: func(d *settings.DataSettings) { d.Tables = &settings.TableSettings{} },
	Read: func(_ context.Context, d *settings.DataSettings, t *settings.Kind) (Data, error) {
		c := d.Tables
		if err := unread(c); err != nil {
			return nil, err
		}
		o := nodelink.Options{Ignore: c.Ignore, Categories: c.Categories, Features: c.Features, Missing: c.Missing, Form: d.Form(), MaxMemory: d.MaxMemory}
		o.Decimal, o.TimeFormat = notation(c)
		if c.Label != "" {
			o.Label = tables.SplitLabels(c.Label)
		}
		if t != nil {
			o.Level, o.Number, o.Class = tables.Level(t.Level), t.Number, !t.Number
		}
		open := func(o nodelink.Options) (*tables.Set, error) { return nodelink.Open(d.Path, o) }
		if d.Memory != nil {
			open = d.Memory.Documents
		}
		set, err := open(o)
		if err != nil {
			return nil, err
		}
		return newColumnData(set, d), nil
	},
	ReadForInference: func(_ context.Context, s *settings.Settings, o LoadOptions, own bool) (Data, error) {
		options := nodelink.OptionsFor(s.Data.Tables.Encoder)
		options.MaxMemory = o.MaxMemory
		options.Ignore = s.Data.Tables.Ignore // a split would otherwise distinguish edges by it
		set, err := nodelink.Open(o.Data, options)
		if err != nil {
			return nil, err
		}
		return &ColumnData{Set: set, Threads: o.Threads}, nil
	},
}

// unread returns an error for the first given setting that node-link JSON does not have.
func unread(c *settings.TableSettings) error {
	for _, x := range []struct{ name, value string }{{"nodes", strings.Join(c.NodesFiles, ",")}, {"node-id", c.NodeID}, {"source", c.From}, {"target", c.To},
		{"time", c.Time}, {"group", c.Group}, {"part", c.Part}, {"graph", c.Graph}, {"sheet", c.Sheet}} {
		if x.value != "" && x.value != tables.None {
			return settings.Misuse("--%s does not apply to node-link JSON", x.name)
		}
	}
	return nil
}
