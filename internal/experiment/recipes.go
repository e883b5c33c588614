package experiment

import (
	"strings"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
)

// recipe has the authors' settings for a data set (GMT's settings, which the paper adopts: its
// scripts and appendix C.3) that differ from the defaults of the task; zero for the default.
type recipe struct {
	hidden, edgeHidden, batch int
	ratio                     float64 // share of edges kept
	heads                     int     // of GMT
	layerNorm                 bool
	dropout                   float64
	raw                       bool // numeric features without scaling
}

// recipes holds the published settings by data set.
var recipes = map[string]recipe{
	"dd":              {hidden: 32, batch: 10, ratio: 0.75, heads: 4},
	"proteins":        {ratio: 0.65, heads: 2, raw: true},
	"mutag":           {ratio: 0.90, heads: 4, layerNorm: true},
	"imdb_binary":     {ratio: 0.90},
	"collab":          {edgeHidden: 16, heads: 2},
	"ogbg_molhiv":     {batch: 512, ratio: 0.95, heads: 4},
	"ogbg_moltox21":   {ratio: 0.45},
	"ogbg_moltoxcast": {heads: 8},
	"ogbg_molbbbp":    {ratio: 0.65, heads: 2, layerNorm: true},
	"citeseer":        {dropout: 0.2},
}

// Recipe returns the settings that the authors used for a model on a data set, as defaults
// (session.Request.Defaults); empty for other sets.
func Recipe(dataset string, spec model.Spec) settings.Values {
	r := recipes[strings.ReplaceAll(strings.ToLower(dataset), "-", "_")]
	out := settings.Values{}
	number := func(name string, v int) {
		if v > 0 {
			out[name] = v
		}
	}
	number("hidden", r.hidden)
	number("edge-hidden", r.edgeHidden)
	number("batch-size", r.batch)
	if r.ratio > 0 && !hasOwn(spec, "ratio") {
		out["ratio"] = r.ratio
	}
	if r.dropout > 0 {
		out["dropout"] = r.dropout
	}
	if r.raw {
		out["standardise"] = false
	}
	if spec.PaperHeads {
		number("heads", r.heads)
		if r.layerNorm {
			out["layer-norm"] = true
		}
	}
	return out
}

// hasOwn reports whether a model has its own ratio.
func hasOwn(spec model.Spec, name string) bool {
	c := spec.Config()
	for _, at := range c.At(name) {
		if v, ok := at.(*float64); ok && *v != 0 {
			return true
		}
	}
	return false
}
