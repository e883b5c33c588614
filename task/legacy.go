package task

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/plainyaml"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// Settings as version 0.1 wrote them: those of tasks on edges in a file of their own, all
// others as JSON in the metadata of the weights and in config.yaml.

// edgesFile01 is where version 0.1 kept the settings of a run on edges.
const edgesFile01 = "edges.json"

// begunBy01 reports whether the run in a folder is one of version 0.1.
func begunBy01(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, edgesFile01)); err == nil {
		return true
	}
	var probe struct {
		Version   *int   `yaml:"settings"`
		ModelName string `yaml:"model_name"`
	}
	text, err := plainyaml.ReadFile(filepath.Join(dir, configFile))
	return err == nil && plainyaml.Unmarshal(text, &probe) == nil && probe.Version == nil && probe.ModelName != ""
}

type settings01 struct {
	Task      string          `json:"task"`
	ModelName string          `json:"model_name"`
	Data      data01          `json:"data"`
	Split     split01         `json:"split"`
	Model     json.RawMessage `json:"model"`
	Train     train.Config    `json:"train"`
}

type data01 struct {
	Path       string   `json:"path"`
	Set        string   `json:"set"`
	Name       string   `json:"name"`
	Format     string   `json:"format"`
	Directed   bool     `json:"directed"`
	NodeCodes  int      `json:"node_codes"`
	EdgeCodes  int      `json:"edge_codes"`
	NodeOffset int      `json:"node_offset"`
	EdgeOffset int      `json:"edge_offset"`
	Classes    []string `json:"classes"`
	Targets    []string `json:"targets"`
	Units      []Unit   `json:"units"`
	Checksum   string   `json:"checksum"`
}

type split01 struct {
	Kind      string    `json:"kind"`
	Fold      int       `json:"fold"`
	Fractions []float64 `json:"fractions"`
	Seed      uint64    `json:"seed"`
}

// fromVersion01 takes settings of all tasks but those on edges.
func (s *Settings) fromVersion01(text []byte) error {
	var old settings01
	if err := json.Unmarshal(text, &old); err != nil {
		return err
	}
	if old.ModelName == "" || old.Data.Checksum == "" {
		return fmt.Errorf("no settings of a run: there is no model_name or no checksum of its data")
	}
	d := old.Data
	*s = Settings{Version: settingsVersion, Task: old.Task, ModelName: old.ModelName, Train: old.Train,
		Data: DataSettings{Source: graphSource.Name, Path: d.Path, Name: d.Name, Format: d.Format, Checksum: d.Checksum,
			Graphs: &GraphSettings{Set: d.Set, NodeCodes: d.NodeCodes, EdgeCodes: d.EdgeCodes, NodeOffset: d.NodeOffset, EdgeOffset: d.EdgeOffset}},
		Split:  Split{Kind: old.Split.Kind, Fold: old.Split.Fold, Seed: old.Split.Seed},
		Target: Target{Classes: d.Classes, Names: d.Targets, Units: d.Units}}
	if old.Split.Kind == SplitRandom {
		s.Split.Fractions = old.Split.Fractions
	}
	s.Data.setForm(d.Directed)
	return s.model01(old.Model)
}

// model01 takes the settings of a model. Version 0.1 wrote some that the model did not
// read; they are dropped.
func (s *Settings) model01(text []byte) error {
	spec, err := model.Find(s.ModelName)
	if err != nil {
		return err
	}
	var gone struct{ Unnormalised bool }
	if err := json.Unmarshal(text, &gone); err == nil && gone.Unnormalised {
		return errors.New("version 0.1 trained it with --unnormalised, which only ehgnn reproduce node-classification knows now; predict with the version that trained it")
	}
	s.Model, err = spec.Decode(text, false)
	return err
}

// fromEdges01 takes settings of tasks on edges.
func (s *Settings) fromEdges01(text []byte) error {
	var old struct {
		Task         string              `json:"task"`
		ModelName    string              `json:"model_name"`
		Path         string              `json:"path"`
		Nodes        string              `json:"nodes"`
		Edges        string              `json:"edges"`
		Name         string              `json:"name"`
		Checksum     string              `json:"checksum"`
		Encoder      *tables.Encoder     `json:"encoder"`
		Split        tables.SplitOptions `json:"split"`
		Input        tables.InputOptions `json:"input"`
		ClassWeights []float32           `json:"class_weights"`
		Positive     int                 `json:"positive"`
		Threshold    float64             `json:"threshold"`
		Model        json.RawMessage     `json:"model"`
		Train        train.Config        `json:"train"`
	}
	if err := json.Unmarshal(text, &old); err != nil {
		return err
	}
	if old.Encoder == nil {
		return fmt.Errorf("there is no encoder")
	}
	e := old.Encoder
	f := old.Split.Fractions
	*s = Settings{Version: settingsVersion, Task: old.Task, ModelName: old.ModelName, Train: old.Train,
		Data: DataSettings{Source: tableSource.Name, Path: old.Path, Name: old.Name, Format: tables.Format, Checksum: old.Checksum,
			Tables: &TableSettings{NodesFile: cmp.Or(old.Nodes, e.Options.Nodes), EdgesFile: old.Edges, NodeID: e.Options.NodeID, From: e.Options.Source, To: e.Options.Target,
				Label: e.Options.Label, Time: e.Options.Time, Group: e.Options.Group, Graph: e.Options.Graph, Categories: e.Options.Categories, Transductive: old.Input.Transductive, Encoder: e}},
		Split:  Split{Kind: old.Split.By, Fractions: f[:], Pairs: old.Split.Pairs, Seed: old.Split.Seed},
		Target: Target{Classes: e.Classes, ClassWeights: old.ClassWeights, Unweighted: old.ClassWeights == nil && e.Classes != nil}}
	if old.Positive >= 0 {
		s.Target.Binary = &Binary{Positive: old.Positive, Threshold: old.Threshold}
	}
	if e.Classes == nil {
		s.Target.Units = []Unit{{e.Mean, e.Scale}}
	}
	s.Data.setForm(e.Options.Form == data.Directed)
	return s.model01(old.Model)
}
