package session

import (
	"path/filepath"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// Settings that someone else wrote into weights are refused if they contradict each other.
func TestSettingsCheck(t *testing.T) {
	good := func() settings.Settings {
		return mustOpen(t, Request{Path: filepath.Join("..", "..", "testdata", "sets", "RINGS"), Model: "gcn", Given: quick()}).Settings
	}
	for want, change := range map[string]func(s *settings.Settings){
		`unknown task "x"`:                        func(s *settings.Settings) { s.Task = "x" },
		`unknown source "x"`:                      func(s *settings.Settings) { s.Data.Source = "x" },
		"data.graphs is missing":                  func(s *settings.Settings) { s.Data.Graphs = nil },
		"data.tables.encoder is missing, of data": func(s *settings.Settings) { s.Data.Source, s.Data.Tables = "tables", &settings.TableSettings{} },
		"data.graphs.node_scale has 9 means and 9 deviation": func(s *settings.Settings) {
			s.Data.Graphs.NodeScale = &data.Scale{Mean: make([]float64, 9), Scale: make([]float64, 9)}
		},
		"data.graphs.edge_scale has 1 means and 0 deviation": func(s *settings.Settings) { s.Data.Graphs.EdgeScale = &data.Scale{Mean: make([]float64, 1)} },
		"target.classes has 1 entries, expected 2":           func(s *settings.Settings) { s.Target.Classes = s.Target.Classes[:1] },
		"target.names has 3 entries, expected 2":             func(s *settings.Settings) { s.Target.Names = make([]string, 3) },
		"target.units has 0 entries, expected 2":             func(s *settings.Settings) { s.Task = "graph-regression" },
		"target.binary.positive is 2 of 2 classes":           func(s *settings.Settings) { s.Target.Binary = &settings.Binary{Positive: 2} },
	} {
		s := good()
		if err := checkSettings(&s); err != nil {
			t.Fatal(err)
		}
		change(&s)
		testsets.Fails(t, checkSettings(&s), want)
	}
}
