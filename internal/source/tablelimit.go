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

// LargeLoad is the load from which the free memory is checked.
const LargeLoad = 64 << 20

// BeyondMemory is the hint for tables that are too large.
const BeyondMemory = "ehgnn-scale trains on and predicts for tables that memory does not hold (docs/scale.md)"

// largeTables returns an error, before edge tables are read, if reading and the model would not fit
// into memory. z describes the model; its edges and columns come from the outline of the tables. If
// tables are read as undirected, every edge may be listed twice. seen are the shares of the edges
// that training, validation and test see.
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

// partsSeen returns the shares of the edges in the inputs of a random split's parts.
var partsSeen = [3]float64{0.6, 0.8, 1}

// trainingSize is what is known about a training before its tables are read: width and layers of
// RolesModel. For other models nothing is known, and only features and labels count.
func trainingSize(model string, given settings.Values) RolesSize {
	z := RolesSize{}
	if cmp.Or(model, RolesModel) != RolesModel {
		return z
	}
	z.shape(given)
	return z
}

// predictingSize is trainingSize for predictions of a run.
func predictingSize(s *settings.Settings) RolesSize {
	if s.ModelName != RolesModel {
		return RolesSize{}
	}
	return RolesSize{Width: s.Model.Largest("hidden"), Layers: s.Model.Largest("layers"), Members: max(s.Model.Members, 1), Outputs: s.Model.Out}
}

// tooLarge adds BeyondMemory to the error of tables that need too much memory.
func tooLarge(err error) error {
	if errors.Is(err, data.ErrTooLarge) {
		return fmt.Errorf("%w; %s", err, BeyondMemory)
	}
	return err
}
