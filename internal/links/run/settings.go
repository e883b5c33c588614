package run

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/didyoumean"
	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/learn"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Task is the name of the task.
const Task = "link-prediction"

// SettingsFile is the file with the settings in the folder of a run of link prediction. Folders of
// other runs do not have it.
const SettingsFile = "links.json"

// Names of models.
const (
	Auto     = "auto"
	GAE      = "gae"
	GAECN    = "gae-cn"
	EHGNN    = "ehgnn-link"
	IALS     = "ials"
	LightGCN = "lightgcn"
	Trees    = "trees"
)

// Models returns the names of the models.
func Models() []string { return []string{Auto, GAE, GAECN, EHGNN, IALS, LightGCN, Trees} }

// Ways to split pairs.
const (
	ByRandom = "random"
	ByTime   = "time"
	ByNodes  = "nodes"
	ByColumn = "column"
)

// splits are the names of the ways to split pairs.
var splits = []string{ByRandom, ByTime, ByNodes, ByColumn}

// Settings are all settings of a run.
type Settings struct {
	Version   int            `json:"links"`
	Data      string         `json:"data"` // path
	FromRun   string         `json:"data_from_run,omitempty"`
	Checksum  string         `json:"checksum"`
	Tables    tables.Options `json:"tables"`
	Sets      bool           `json:"sets,omitempty"` // columns of sets are read as sets; runs of earlier versions read them as categories
	Kind      links.Kind     `json:"kind"`
	Positive  string         `json:"positive,omitempty"`
	Split     string         `json:"split"`
	Fractions [3]float64     `json:"fractions"`
	Observed  float64        `json:"observed"` // in a split of nodes: share of held-out pairs that are messages
	// TestSeesValid puts the validation pairs into the graph that scores the test part.
	TestSeesValid bool            `json:"test_sees_valid,omitempty"`
	Seed          uint64          `json:"seed"`
	Model         string          `json:"model"` // the given name
	Chosen        string          `json:"chosen,omitempty"`
	GAE           learn.GAEConfig `json:"gae"`
	// LightGCN stands for its defaults if no field is set.
	LightGCN learn.LightGCNConfig `json:"lightgcn,omitzero"`
	IALS     learn.IALSConfig     `json:"ials"`
	KNN      [2]float64           `json:"item_knn"`              // shrinkage and number of neighbours, as chosen on validation
	EASE     float64              `json:"ease_lambda,omitempty"` // as chosen on validation; 0 if there are too many targets
	// Average has the models of Auto, if there are several.
	Average []Member `json:"average,omitempty"`
	// Select is the form of negatives for the choice of epochs and models on the validation part.
	Select string `json:"select"`
}

// Check returns an error for settings that no run can have.
func (s *Settings) Check() error {
	switch {
	case s.Version != 1:
		return settings.Misuse("links.json has version %d, expected 1", s.Version)
	case !slices.Contains(Models(), s.Model):
		return settings.Usage(didyoumean.Unknown("model of link prediction", s.Model, Models()))
	case !slices.Contains(splits, s.Split):
		return settings.Misuse("--split is %q, expected one of %s for link prediction", s.Split, strings.Join(splits, ", "))
	case !slices.Contains([]string{score.All, score.Hard, score.Uniform, score.Lists}, s.Select):
		return settings.Misuse("--select is %q, expected all, hard, uniform or lists", s.Select)
	case s.Observed < 0 || s.Observed > 1:
		return settings.Misuse("--observed is %g, expected a share from 0 to 1", s.Observed)
	}
	sum := s.Fractions[0] + s.Fractions[1] + s.Fractions[2]
	if sum < 0.999 || sum > 1.001 || slices.Min(s.Fractions[:]) < 0 {
		return settings.Misuse("--fractions are %v, expected three shares that add up to 1", s.Fractions)
	}
	return nil
}

// IsRun reports whether a folder has a run of link prediction.
func IsRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, SettingsFile))
	return err == nil
}

// ReadSettings reads the settings of a run folder.
func ReadSettings(dir string) (*Settings, error) {
	text, err := os.ReadFile(filepath.Join(dir, SettingsFile))
	if err != nil {
		return nil, settings.Usage(err)
	}
	s := &Settings{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, settings.Misuse("%s: %v", filepath.Join(dir, SettingsFile), err)
	}
	if err := s.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, SettingsFile), err)
	}
	if c := s.GAE; c.Width < 1 || c.Width > 1<<14 || c.Layers < 1 || c.Layers > 64 || c.MLP < 1 || c.MLP > 64 || s.IALS.Dim < 0 || s.IALS.Dim > 1<<12 ||
		s.LightGCN.Width < 0 || s.LightGCN.Width > 1<<14 || s.LightGCN.Layers < 0 || s.LightGCN.Layers > 64 {
		return nil, settings.Misuse("%s: sizes of a model that no training writes", filepath.Join(dir, SettingsFile))
	}
	return s, nil
}

// write writes the settings into a run folder.
func (s *Settings) write(dir string) error {
	return atomicfile.WriteJSON(filepath.Join(dir, SettingsFile), s)
}

// path returns the path of the data: beside the run folder, or where they were in training.
func (s *Settings) path(dir string) string {
	if s.FromRun != "" {
		beside := filepath.Join(dir, s.FromRun)
		if _, err := os.Stat(beside); err == nil {
			return beside
		}
	}
	return s.Data
}

// condition is a comparison of a column with a number.
type condition struct {
	column, op string
	value      float64
	text       string
}

// parseCondition parses the value of --positive, such as rating>=4.
func parseCondition(text string) (condition, error) {
	for _, op := range []string{">=", "<=", "!=", ">", "<", "="} {
		column, value, ok := strings.Cut(text, op)
		if !ok {
			continue
		}
		c := condition{column: strings.TrimSpace(column), op: op, text: strings.TrimSpace(value)}
		v, err := strconv.ParseFloat(c.text, 64)
		if c.column == "" || c.text == "" || err != nil && op != "=" && op != "!=" {
			break
		}
		c.value = v
		return c, nil
	}
	return condition{}, settings.Misuse("--positive is %q, expected a column, a comparison and a number, as 'rating>=4'", text)
}

// holds reports whether a number satisfies the condition.
func (c condition) holds(v float64) bool {
	switch c.op {
	case ">=":
		return v >= c.value
	case "<=":
		return v <= c.value
	case ">":
		return v > c.value
	case "<":
		return v < c.value
	case "=":
		return v == c.value
	}
	return v != c.value
}
