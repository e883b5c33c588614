package task

import (
	"context"
	"strings"

	"github.com/ehgnn/ehgnn/data/nodelink"
	"github.com/ehgnn/ehgnn/data/tables"
)

// nodeLinkSource reads the node-link JSON of NetworkX, in which edges, nodes or graphs have
// labels.
var nodeLinkSource = &Source{
	Name:      nodelink.Format,
	Expect:    "node-link JSON of NetworkX, one document, a list of them or one a line",
	Formats:   []string{nodelink.Format},
	Recognise: nodelink.Recognise,
	Begin:     func(d *DataSettings) { d.Tables = &TableSettings{} },
	Read: func(_ context.Context, d *DataSettings, t *Kind) (Data, error) {
		c := d.Tables
		o := nodelink.Options{Ignore: c.Ignore, Categories: c.Categories, Features: c.Features, Missing: c.Missing, Form: d.form(), MaxMemory: d.MaxMemory}
		o.Decimal, o.TimeFormat = c.notation()
		if c.Label != "" {
			o.Label = strings.Split(c.Label, ",")
		}
		if t != nil {
			o.Level, o.Number, o.Class = tables.Level(t.Items), t.Number, !t.Number
		}
		set, err := nodelink.Open(d.Path, o)
		if err != nil {
			return nil, err
		}
		return newColumnData(set, d), nil
	},
	Reread: func(_ context.Context, s *Settings, o LoadOptions, own bool) (Data, error) {
		options := nodelink.OptionsFor(s.Data.Tables.Encoder)
		options.MaxMemory = o.MaxMemory
		options.Ignore = s.Data.Tables.Ignore // which a split would else tell edges apart by
		set, err := nodelink.Open(o.Data, options)
		if err != nil {
			return nil, err
		}
		return &columnData{set: set, threads: o.Threads}, nil
	},
}
