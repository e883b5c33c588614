package source

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// LargeLoad is from where on the free memory is asked for.
const LargeLoad = 64 << 20

// BeyondMemory says where to go with tables that are too large.
const BeyondMemory = "ehgnn-scale trains on and predicts for tables that memory does not hold (docs/scale.md)"

// largeTables refuses tables of edges, before they are read, that would not fit into memory: what
// reading takes, and what the model takes that z tells, whose edges and columns are the
// outline's. Of tables that are read as undirected every edge may be listed twice. seen are the
// shares of the edges that training, validation and test see.
func largeTables(o tables.Outline, form data.Edges, doing string, z RolesSize, seen [3]float64, limit int64) error {
	limit = cmp.Or(limit, memory.Free())
	z.Columns = o.Columns
	for k, share := range seen {
		z.Edges[k] = int(share * float64(o.Edges))
		if form == data.Undirected {
			z.Edges[k] /= 2
		}
	}
	if took := float64(o.Bytes) + z.Bytes(); limit > 0 && took > LargeLoad && took > float64(limit) {
		return settings.Misuse("%s has about %d edges: reading them and %s takes about %s; %s are free; %s; --max-memory sets the bound",
			o.File, o.Edges, doing, memory.Text(took), memory.Text(limit), BeyondMemory)
	}
	return nil
}

// partsSeen are the shares of the edges that the inputs of a random split's parts have.
var partsSeen = [3]float64{0.6, 0.8, 1}

// trainingSize is what is known of a training before its tables are read: for RolesModel its width
// and layers, for other models nothing, so that features and labels alone count.
func trainingSize(model string, given settings.Values) RolesSize {
	z := RolesSize{}
	if cmp.Or(model, RolesModel) != RolesModel {
		return z
	}
	z.shape(given)
	return z
}

// predictingSize is the same of predicting with a run.
func predictingSize(s *settings.Settings) RolesSize {
	if s.ModelName != RolesModel {
		return RolesSize{}
	}
	return RolesSize{Width: s.Model.Largest("hidden"), Layers: s.Model.Largest("layers"), Members: max(s.Model.Members, 1), Outputs: s.Model.Out}
}

// tooLarge names, in an error of reading tables that take too much, the way out.
func tooLarge(err error) error {
	if errors.Is(err, data.ErrTooLarge) {
		return fmt.Errorf("%w; %s", err, BeyondMemory)
	}
	return err
}
