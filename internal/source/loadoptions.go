package source

import (
	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/model"
)

// LoadOptions say which data a trained run is used on.
type LoadOptions struct {
	Data    string // path of the data; empty for those of the training
	Set     string // the set to read where the path holds several; empty for the one of the training
	Format  string
	Nodes   tables.Files // files of the nodes of tables; empty for the names that the training had, if any
	Context string       // tables whose edges the model sees beside those of Data but does not score; ContextTraining for those of the training
	// SMILES is the column of a table of molecules; empty for that of the training, or one by
	// convention. OnInvalid says what becomes of rows that are no molecule; empty for what the
	// training says.
	SMILES, OnInvalid string
	// KeepColumns keeps the columns of tables as their files have them (Part.Own).
	KeepColumns bool
	// Toolkit reads molecules; nil for none.
	Toolkit chem.Toolkit
	Threads int
	// MaxMemory is the memory, in bytes, that reading the data may take, and that the model
	// may need for a batch; 0 is the bound of data.NewBudget for the data and what is free
	// for the model.
	MaxMemory int64
	// Kept is the context that the run keeps between its uses.
	Kept *KeptContext
	// RowsAlone says that only predictions for the edges of Data are wanted, or their vectors, and not the graph around
	// them; then Rows is the model of the run.
	RowsAlone bool
	Rows      model.Model
}

// ContextTraining, as LoadOptions.Context, stands for the tables of the training.
const ContextTraining = "training"
