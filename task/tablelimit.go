package task

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/memory"
)

// largeLoad is from where on the free memory is asked for.
const largeLoad = 64 << 20

// beyondMemory says where to go with tables that are too large.
const beyondMemory = "ehgnn-scale trains on and predicts for tables that memory does not hold (docs/scale.md)"

// largeTables refuses tables of edges, before they are read, that would not fit into memory: what
// reading takes, and what the model takes that z tells, whose edges and columns are the
// outline's. Of tables that are read as undirected every edge may be listed twice. seen are the
// shares of the edges that training, validation and test see.
func largeTables(o tables.Outline, form data.Edges, doing string, z rolesSize, seen [3]float64, limit int64) error {
	limit = cmp.Or(limit, memory.Free())
	z.columns = o.Columns
	for k, share := range seen {
		z.edges[k] = int(share * float64(o.Edges))
		if form == data.Undirected {
			z.edges[k] /= 2
		}
	}
	if took := float64(o.Bytes) + z.bytes(); limit > 0 && took > largeLoad && took > float64(limit) {
		return Misuse("task: %s has about %d edges: reading them and %s takes about %s; %s are free; %s; --max-memory sets the bound",
			o.File, o.Edges, doing, memory.Text(took), memory.Text(limit), beyondMemory)
	}
	return nil
}

// partsSeen are the shares of the edges that the inputs of a random split's parts have.
var partsSeen = [3]float64{0.6, 0.8, 1}

// trainingSize is what is known of a training before its tables are read: for rolesModel its width
// and layers, for other models nothing, so that features and labels alone count.
func trainingSize(model string, given Values) rolesSize {
	z := rolesSize{}
	if cmp.Or(model, rolesModel) != rolesModel {
		return z
	}
	z.shape(given)
	return z
}

// predictingSize is the same of predicting with a run.
func predictingSize(s *Settings) rolesSize {
	if s.ModelName != rolesModel {
		return rolesSize{}
	}
	z := rolesSize{width: s.Model.Largest("hidden"), layers: s.Model.Largest("layers"), members: max(s.Model.Members, 1), outputs: s.Model.Out}
	if v := s.Model.NodeVectors; v != nil {
		z.vectors = v.Width
	}
	return z
}

// tooLarge names, in an error of reading tables that take too much, the way out.
func tooLarge(err error) error {
	if errors.Is(err, data.ErrTooLarge) {
		return fmt.Errorf("%w; %s", err, beyondMemory)
	}
	return err
}
